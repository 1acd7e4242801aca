#include "engine/graph/graph_file.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/graph/graph_text.hpp"
#include "engine/graph/node_error.hpp"
#include "engine/json_text.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;

tl::unexpected<Error> member_error(const std::string& member, const Phrase& what) {
  return fail(ErrorId::bad_graph, phrase("member '{}'", member), what);
}

class FileReader {
 public:
  Result<OperatorGraph> read(const json& file) {
    if (!file.is_object()) return fail(ErrorId::bad_graph, phrase("file"), phrase("it is not a JSON object"));
    if (file.value("format", json()) != kFormat) return member_error("format", phrase("it is not {}", kFormat));
    if (const auto name = file.find("name"); name != file.end() && name->is_string())
      graph_.name = name->get<std::string>();
    for (const auto& [member, take] :
         {std::pair("tensors", &FileReader::take_tensor), {"nodes", &FileReader::take_node}}) {
      const auto list = file.find(member);
      if (list == file.end() || !list->is_array()) return member_error(member, phrase("it is not a list"));
      if (list->size() > kMostNodes)
        return member_error(member, phrase("it has {} entries, and a graph at most {}", list->size(), kMostNodes));
      for (size_t index = 0; index < list->size(); ++index)
        if (auto good = (this->*take)((*list)[index], fmt::format("{}[{}]", member, index)); !good)
          return forward(good);
    }
    if (auto sorted = sort_nodes(graph_); !sorted) return forward(sorted);
    if (auto good = check(graph_); !good) return forward(good);
    return std::move(graph_);
  }

 private:
  static Result<std::string> text_of_member(const json& object, const std::string& member, const std::string& path) {
    const auto found = object.is_object() ? object.find(member) : object.end();
    if (!object.is_object()) return member_error(path, phrase("it is not an object"));
    if (found == object.end() || !found->is_string())
      return member_error(path + "." + member, phrase("it is not a text"));
    return found->get<std::string>();
  }

  Result<void> take_tensor(const json& object, const std::string& path) {
    const auto name = text_of_member(object, "name", path);
    if (!name) return forward(name);
    GraphTensor tensor{.name = *name, .role = TensorRole::result};
    const auto type = text_of_member(object, "type", path);
    if (!type) return forward(type);
    if (const auto known = dtype_from(*type))
      tensor.type = *known;
    else
      return tensor_error(tensor, phrase("there is no type '{}'", *type));
    if (const auto role = object.find("role"); role != object.end()) {
      const auto known = role->is_string() ? tensor_role_from(role->get<std::string>()) : std::nullopt;
      if (!known || *known == TensorRole::result)
        return tensor_error(tensor, phrase("its role is not input, weight or constant"));
      tensor.role = *known;
    }
    const auto shape = object.find("shape");
    if (shape == object.end() || !shape->is_array()) return tensor_error(tensor, phrase("it has no shape"));
    for (const json& extent : *shape) {
      if (!extent.is_number_integer())
        return tensor_error(tensor, phrase("its shape has an extent that is no whole number"));
      tensor.shape.push_back(extent.get<int64_t>());
    }
    if (!tensors_.try_emplace(*name, graph_.tensors.size()).second)
      return tensor_error(tensor, phrase("a second tensor has this name"));
    graph_.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<size_t> tensor_named(const GraphNode& node, const json& name) const {
    const auto found = name.is_string() ? tensors_.find(name.get<std::string>()) : tensors_.end();
    if (found == tensors_.end())
      return node_error(
          node, phrase("there is no tensor '{}'", name.is_string() ? name.get<std::string>() : json_text(name)));
    return found->second;
  }

  Result<void> take_node(const json& object, const std::string& path) {
    const auto name = text_of_member(object, "name", path);
    if (!name) return forward(name);
    const auto type = text_of_member(object, "operator", path);
    if (!type) return forward(type);
    GraphNode node{.name = *name, .type = *type};
    const auto inputs = object.find("inputs");
    if (inputs == object.end() || !inputs->is_array()) return node_error(node, phrase("it has no list of inputs"));
    for (const json& input : *inputs) {
      const auto tensor = tensor_named(node, input);
      if (!tensor) return forward(tensor);
      node.inputs.push_back(*tensor);
    }
    const auto output = tensor_named(node, object.value("output", json()));
    if (!output) return forward(output);
    node.output = *output;
    if (!outputs_.insert(node.output).second)
      return node_error(node, phrase("it writes '{}', which is already there", graph_.tensors[node.output].name));
    if (const auto attributes = object.find("attributes"); attributes != object.end()) {
      if (!attributes->is_object()) return node_error(node, phrase("its attributes are not an object"));
      for (const auto& [key, value] : attributes->items()) {
        if (!value.is_number_integer()) return node_error(node, phrase("its attribute '{}' is no whole number", key));
        node.attributes[key] = value.get<int64_t>();
      }
    }
    if (const auto module = object.find("module"); module != object.end() && module->is_string())
      node.module = module->get<std::string>();
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  OperatorGraph graph_;
  std::map<std::string, size_t> tensors_;
  std::set<size_t> outputs_;
};

}  // namespace

Result<OperatorGraph> graph_from_json(std::string_view text) {
  const json file = json_from(text);
  if (file.is_discarded()) return fail(ErrorId::bad_graph, phrase("file"), phrase("it is not JSON"));
  return FileReader().read(file);
}

Result<OperatorGraph> read_graph(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return fail(ErrorId::file_not_found, file.string(), std::strerror(errno));
  auto graph = file.extension() == ".json" ? graph_from_json(*text) : graph_from_text(*text);
  if (graph && graph->name.empty()) graph->name = file.stem().string();
  return graph;
}

nlohmann::ordered_json graph_json(const OperatorGraph& graph) {
  nlohmann::ordered_json file{
      {"format", kFormat}, {"name", graph.name}, {"tensors", json::array()}, {"nodes", json::array()}};
  for (const GraphTensor& tensor : graph.tensors) {
    nlohmann::ordered_json one{{"name", tensor.name}, {"shape", tensor.shape}, {"type", name_of(tensor.type)}};
    if (tensor.role != TensorRole::result) one["role"] = name_of(tensor.role);
    file["tensors"].push_back(std::move(one));
  }
  for (const GraphNode& node : graph.nodes) {
    nlohmann::ordered_json one{{"name", node.name},
                               {"operator", node.type},
                               {"inputs", json::array()},
                               {"output", graph.tensors[node.output].name}};
    for (const size_t input : node.inputs) one["inputs"].push_back(graph.tensors[input].name);
    if (!node.attributes.empty()) one["attributes"] = node.attributes;
    if (!node.module.empty()) one["module"] = node.module;
    file["nodes"].push_back(std::move(one));
  }
  return file;
}

}  // namespace tilescope
