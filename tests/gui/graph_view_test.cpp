// The view of operator graphs in the window: what is selected, which lab an operator opens, and graphs of the learner's
// own with what is wrong with them.
#include "app/views/graph/graph_view.hpp"

#include <fstream>

#include "tests/gui/screen_fixture.hpp"
#include "tests/gui/text_faults.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class GraphScreen : public testing::ScreenTest {
 protected:
  GraphScreen() : ScreenTest(testing::all_texts()) {
    screen->session.select_lab("transformer-graph");
    screen->view.tab = "graph";
    frames(2);
  }
  const GraphView& graph() { return dynamic_cast<const GraphView&>(screen->views().at("graph")); }
  /// The selected box's operator.
  std::string selected() {
    const GraphCanvas& canvas = graph().canvas();
    return canvas.selected() ? canvas.pieces().boxes[*canvas.selected()].name : "";
  }
  void open_own(const fs::path& file) {
    click("graph.source.3");
    click("graph.path");
    ImGui::GetIO().AddInputCharactersUTF8(file.c_str());
    frame();
    click("graph.open");
  }
  fs::path write(const std::string& name, const std::string& text) {
    const fs::path file = fs::path(::testing::TempDir()) / name;
    std::ofstream(file) << text;
    return file;
  }
  std::string error_of(const std::string& name, const std::string& text) {
    open_own(write(name, text));
    EXPECT_TRUE(graph().own().error.has_value()) << name;
    EXPECT_TRUE(screen->marks().contains("graph.message")) << name;
    EXPECT_FALSE(graph().shown().has_value()) << name;
    return graph().own().error ? graph().own().error->what.english() : "";
  }
};

TEST_F(GraphScreen, ALayerOfLlamaHasNineMatmulsAndABertEight) {
  EXPECT_EQ(graph().shown()->prefill.products, 9U);  // SwiGLU has three
  click("graph.source.1");
  EXPECT_EQ(graph().shown()->prefill.products, 8U);
  EXPECT_EQ(graph().shown()->decode->products, 8U);
}

TEST_F(GraphScreen, AClickOnABoxOrARowSelectsIt) {
  click("graph.box.softmax");
  EXPECT_EQ(selected(), "softmax");
  frames(2);
  click("graph.row.10");  // the table has scrolled to the row of softmax, the tenth
  EXPECT_EQ(selected(), "pv");
}

TEST_F(GraphScreen, ArrowKeysFollowTheGraph) {
  click("graph.box.norm_1");
  press(Key::right);
  EXPECT_EQ(selected(), "q_proj");
  press(Key::down);
  EXPECT_EQ(selected(), "k_proj");
  press(Key::left);
  EXPECT_EQ(selected(), "norm_1");
}

TEST_F(GraphScreen, ASliderChangesTheLayerAndKeepsTheSelection) {
  click("graph.box.softmax");
  const double before = graph().shown()->prefill.total.cost.flops;
  const Mark slider = screen->marks().at("graph.slider.sequence");
  click(ImVec2(slider.high.x - 6, slider.low.y + 27));
  EXPECT_GT(graph().shown()->prefill.total.cost.flops, 10 * before);
  EXPECT_EQ(selected(), "softmax");
}

TEST_F(GraphScreen, FusedQkvLeavesOneMatmulOfThree) {
  click("graph.switch.fused_qkv");
  EXPECT_EQ(graph().shown()->prefill.products, 7U);
  click("graph.switch.flash");
  EXPECT_TRUE(find_node(graph().shown()->prefill.graph, "attention"));
  EXPECT_FALSE(find_node(graph().shown()->prefill.graph, "softmax"));
}

TEST_F(GraphScreen, DecodeHasNoMaskAndMovesAlmostWhatTheWeightsTake) {
  click("graph.phase.1");
  EXPECT_FALSE(screen->marks().contains("graph.box.mask"));
  const ModuleCost& total = graph().shown()->decode->total;
  EXPECT_TRUE(total.cost.bound_by_memory());
  // 202.4 million weights of 2 bytes, and K and V of 2,048 tokens.
  EXPECT_NEAR(total.cost.bytes(), 2 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008 + 2 * 2048 * 4096.0), 2e6);
}

TEST_F(GraphScreen, ModulesHaveABoxEachAndOpenIntoOperators) {
  click("graph.level.0");
  EXPECT_TRUE(screen->marks().contains("graph.box.Attention"));
  EXPECT_FALSE(screen->marks().contains("graph.box.softmax"));
  click("graph.box.Attention");
  click("graph.open_lab");
  frame();
  EXPECT_TRUE(screen->marks().contains("graph.box.softmax"));
}

TEST_F(GraphScreen, AnOperatorOpensItsLabAtItsSizes) {
  click("graph.box.norm_1");
  click("graph.open_lab");
  EXPECT_EQ(screen->session.lab().name, "rmsnorm");
  EXPECT_EQ(screen->session.request().config.size("rows"), 2048);
  EXPECT_EQ(screen->session.request().config.size("columns"), 4096);
  EXPECT_EQ(screen->view.tab, "tiles");
}

TEST_F(GraphScreen, SizesThatALabDoesNotAllowAreBroughtIntoItsRangeAndNamed) {
  const OperatorGraph layer = *transformer_layer({.sequence = 65536, .hidden = 512, .heads = 8, .kv_heads = 8});
  const NodeLab softmax = lab_of_node(layer, layer.nodes[*find_node(layer, "softmax")], DeviceKind::sim);
  ASSERT_NE(softmax.lab, nullptr);
  EXPECT_EQ(softmax.lab->name, "softmax");
  EXPECT_EQ(softmax.sizes.at("columns"), 65536);
  EXPECT_LT(softmax.sizes.at("rows"), 8 * 65536);
  ASSERT_EQ(softmax.changed.size(), 1U);
  EXPECT_NE(softmax.changed.front().find("524,288"), std::string::npos);
  // Every operator that names a lab opens one that exists, with values that it allows.
  for (const TransformerOptions& options : {bert_base(), llama_7b()}) {
    const OperatorGraph graph = *transformer_layer(options);
    for (const GraphNode& node : graph.nodes) {
      const NodeLab found = lab_of_node(graph, node, DeviceKind::sim);
      if (found.lab == nullptr) continue;
      Config config = default_config(*found.lab, DeviceKind::sim);
      for (const auto& [name, value] : found.sizes) config.sizes.at(name) = value;
      for (const auto& [name, value] : found.params) config.params.at(name) = value;
      EXPECT_TRUE(validate(*found.lab, config, DeviceKind::sim)) << node.name;
      EXPECT_FALSE(found.sizes.empty()) << node.name;
    }
  }
}

TEST_F(GraphScreen, ThisLabIsTheGraphOfTheKernelsThatItLaunches) {
  click("graph.source.2");
  const auto kernels = [&] { return screen->session.rung().launches(screen->session.request().config).size(); };
  const auto boxes = [&] {
    return std::ranges::count_if(graph().canvas().pieces().boxes, [](const GraphBox& box) { return !box.input; });
  };
  EXPECT_EQ(static_cast<size_t>(boxes()), kernels());
  screen->session.select_rung("fused");
  frames(2);
  EXPECT_EQ(static_cast<size_t>(boxes()), kernels() + 3);  // GELU and the two adds are epilogues
  EXPECT_EQ(graph().shown()->prefill.products, 4U);        // Q, K and V at once, output, and the two of the MLP
}

TEST_F(GraphScreen, TheExampleThatShipsIsALayerWithEightMatmuls) {
  click("graph.source.3");
  click("graph.example");
  frame();
  ASSERT_TRUE(graph().shown()) << (graph().own().error ? graph().own().error->message : "");
  EXPECT_EQ(graph().shown()->prefill.products, 8U);
  EXPECT_FALSE(graph().shown()->decode);
}

TEST_F(GraphScreen, AGraphThatIsWrongIsRefusedWithTheNodesName) {
  EXPECT_NE(error_of("unknown.txt", "x: f32[8]\ny = wiggle(x)\n").find("wiggle"), std::string::npos);
  EXPECT_NE(error_of("cycle.txt", "x: f32[8]\na = add(x, b)\nb = relu(a)\n").find("cycle"), std::string::npos);
  EXPECT_NE(error_of("shapes.txt", "x: f32[8, 4]\nw: f32[5, 6] weight\ny = matmul(x, w)\n").find("8 × 4"),
            std::string::npos);
  EXPECT_NE(error_of("broken.json", "{\"format\": 1, \"tensors\": [").find("JSON"), std::string::npos);
  EXPECT_NE(error_of("node.json", R"({"format": 1, "tensors": [{"name": "x", "shape": [8], "type": "f32"}],
                                      "nodes": [{"name": "lost", "operator": "relu", "inputs": ["z"]}]})")
                .find("lost"),
            std::string::npos);
  open_own("/nowhere/at/all.json");
  EXPECT_TRUE(graph().own().error);
}

TEST_F(GraphScreen, TenThousandOperatorsAreDrawn) {
  std::string text = "x: f32[64, 64]\nn0 = relu(x)\n";
  constexpr int kNodes = 10000;
  ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // as the window's renderer
  for (int node = 1; node < kNodes; ++node)
    text += fmt::format("n{} = add(n{}, n{})\n", node, node - 1, std::max(node - 7, 0));
  open_own(write("many.txt", text));
  ASSERT_TRUE(graph().shown()) << (graph().own().error ? graph().own().error->message : "");
  EXPECT_EQ(graph().shown()->rows.size(), static_cast<size_t>(kNodes));
  const Mark box = screen->marks().at("graph.box.n0");
  EXPECT_LT(box.high.x - box.low.x, 60);  // drawn small, as a whole
  point_at({800, 300});
  ImGui::GetIO().MouseWheel = 20;
  frames(3);
  const Mark nearer = screen->marks().at("graph.box.n0");
  EXPECT_GT(nearer.high.x - nearer.low.x, box.high.x - box.low.x);
  drag({800, 300}, {700, 340});
  EXPECT_NEAR(screen->marks().at("graph.box.n0").low.x, nearer.low.x - 100, 2);
}

TEST_F(GraphScreen, EveryStateIsDrawnWithoutFaultsInItsTexts) {
  screen->view.animate = false;
  for (const Language language : {Language::en, Language::zh})
    for (const auto& [width, height] : {std::pair(1600.0F, 1000.0F), {1280.0F, 800.0F}, {900.0F, 560.0F}})
      for (const char* source : {"graph.source.0", "graph.source.1", "graph.source.2", "graph.source.3"})
        for (const char* level : {"graph.level.0", "graph.level.1"})
          for (const char* phase : {"graph.phase.1", "graph.phase.0"}) {
            screen->strings.language = language;
            window = {width, height};
            frames(2);
            click(source);
            click(level);
            if (screen->marks().contains(phase)) click(phase);
            if (screen->marks().contains("graph.example")) click("graph.example");
            ImGui::GetIO().MousePos = {-1, -1};
            frames(2);
            std::vector<DrawnText> texts;
            record_texts(&texts);
            frame();
            record_texts(nullptr);
            for (const std::string& fault : testing::faults_of(texts))
              ADD_FAILURE() << width << " × " << height << " " << source << " " << level << " " << phase << ": "
                            << fault;
          }
}

}  // namespace
}  // namespace tilescope
