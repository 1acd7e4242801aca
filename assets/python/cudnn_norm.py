"""LayerNorm, its backward pass and RMSNorm through cuDNN's graph interface. The numbers are those of cuDNN 9's
cudnn_graph.h."""

import ctypes

# Kinds of descriptors.
ENGINE_CONFIGURATION, HEURISTICS, PLAN, GRAPH, POINTERS, TENSOR, FORWARD, BACKWARD = 3, 4, 5, 15, 16, 17, 29, 30
# Kinds of values.
HANDLE, DATA_TYPE, BOOLEAN, INTEGER, POINTER, HEURISTIC_MODE, DESCRIPTOR, NORM_MODE, NORM_PHASE = 0, 1, 2, 3, 6, 8, 15, 27, 28
STORED_AS = {HANDLE: ctypes.c_void_p, DATA_TYPE: ctypes.c_int, BOOLEAN: ctypes.c_bool, INTEGER: ctypes.c_int64,
             POINTER: ctypes.c_void_p, HEURISTIC_MODE: ctypes.c_int, DESCRIPTOR: ctypes.c_void_p,
             NORM_MODE: ctypes.c_int, NORM_PHASE: ctypes.c_int}
LAYER_NORM, RMS_NORM = 0, 4
TRAINING = 1  # the phase that keeps the rows' statistics
BY_EXPERIENCE, FALLBACK = 3, 2  # where proposals of engines come from
FLOAT, BFLOAT16 = 0, 9


class Descriptor:
    """An object of cuDNN's, and those that it refers to, which have to live as long."""

    def __init__(self, cudnn, kind):
        self.cudnn, self.kept, self.raw = cudnn, [], ctypes.c_void_p()
        cudnn.require(cudnn.library.cudnnBackendCreateDescriptor(ctypes.c_int(kind), ctypes.byref(self.raw)))

    def __del__(self):
        self.cudnn.library.cudnnBackendDestroyDescriptor(self.raw)

    def set(self, attribute, kind, *values):
        self.kept += [value for value in values if isinstance(value, Descriptor)]
        values = [value.raw.value if isinstance(value, Descriptor) else value for value in values]
        stored = (STORED_AS[kind] * len(values))(*values)
        self.cudnn.require(self.cudnn.library.cudnnBackendSetAttribute(
            self.raw, ctypes.c_int(attribute), ctypes.c_int(kind), ctypes.c_int64(len(values)), stored))
        return self

    def get(self, attribute, kind, stored):
        """How many values there are; `stored` has been filled with them."""
        count = ctypes.c_int64()
        self.cudnn.require(self.cudnn.library.cudnnBackendGetAttribute(
            self.raw, ctypes.c_int(attribute), ctypes.c_int(kind), ctypes.c_int64(len(stored)), ctypes.byref(count),
            stored))
        return count.value

    def finalize(self):
        self.cudnn.require(self.cudnn.library.cudnnBackendFinalize(self.raw))
        return self


class Norm:
    """`cudnn` has the library, a handle and `require`, which raises where a call has failed."""

    EPSILON_ID = 100

    def __init__(self, cudnn, torch, epsilon):
        self.cudnn, self.torch, self.epsilon = cudnn, torch, ctypes.c_float(epsilon)

    def describe(self, identity, dimensions, strides, kind, by_value=False):
        tensor = Descriptor(self.cudnn, TENSOR)
        tensor.set(901, DATA_TYPE, kind).set(902, INTEGER, *dimensions).set(903, INTEGER, *strides)
        tensor.set(906, INTEGER, identity).set(900, INTEGER, 4 if by_value else 16)
        return (tensor.set(908, BOOLEAN, True) if by_value else tensor).finalize()

    def tensor(self, identity, of):
        """Rows of a matrix are the batch, columns the channels; a vector of weights is a matrix of one row."""
        rows, columns = of.shape if of.dim() == 2 else (1, of.shape[0])
        kind = BFLOAT16 if of.dtype == self.torch.bfloat16 else FLOAT
        return self.describe(identity, (rows, columns, 1, 1), (columns, 1, columns, columns), kind)

    def epsilon_tensor(self):
        return self.describe(self.EPSILON_ID, (1, 1, 1, 1), (1, 1, 1, 1), FLOAT, by_value=True)

    def proposals(self, graph, mode):
        most = 8
        heuristics = Descriptor(self.cudnn, HEURISTICS).set(201, DESCRIPTOR, graph).set(200, HEURISTIC_MODE, mode).finalize()
        found = [Descriptor(self.cudnn, ENGINE_CONFIGURATION) for _ in range(most)]
        stored = (ctypes.c_void_p * most)(*[one.raw.value for one in found])
        return found[:heuristics.get(202, DESCRIPTOR, stored)]

    def queue(self, operation, tensors):
        """A function that queues the operation, by the first proposal that works on this GPU. What stands in the way of
        some is only said when they are to run."""
        handle = self.cudnn.handle.value
        graph = Descriptor(self.cudnn, GRAPH).set(800, HANDLE, handle).set(801, DESCRIPTOR, operation).finalize()
        reason = "it proposes no engine"
        for mode in (BY_EXPERIENCE, FALLBACK):
            try:
                proposals = self.proposals(graph, mode)
            except RuntimeError as error:
                reason = str(error)
                continue
            for proposal in proposals:
                try:
                    run = self.queue_plan(proposal, tensors)
                    run()
                    self.torch.cuda.synchronize()
                    return run
                except RuntimeError as error:
                    reason = str(error)
        raise RuntimeError(f"cuDNN has no plan for this operation: {reason}")

    def queue_plan(self, proposal, tensors):
        """The same by one proposal; `tensors` by the numbers that the operation's descriptors have."""
        plan = Descriptor(self.cudnn, PLAN).set(400, HANDLE, self.cudnn.handle.value).set(401, DESCRIPTOR, proposal).finalize()
        size = (ctypes.c_int64 * 1)()
        plan.get(402, INTEGER, size)
        workspace = self.torch.empty(max(1, size[0]), dtype=self.torch.uint8, device="cuda")
        identities = [*tensors, self.EPSILON_ID]
        places = [tensor.data_ptr() for tensor in tensors.values()] + [ctypes.addressof(self.epsilon)]
        pack = Descriptor(self.cudnn, POINTERS).set(1000, INTEGER, *identities).set(1001, POINTER, *places)
        pack.set(1003, POINTER, workspace.data_ptr()).finalize()
        pack.kept += [workspace, *tensors.values()]

        def run():
            self.cudnn.use_current_stream()
            self.cudnn.require(self.cudnn.library.cudnnBackendExecute(self.cudnn.handle, plan.raw, pack.raw))

        return run

    def complete(self, operation, attributes, tensors, epsilon_attribute):
        """Each tensor under its attribute, then the operation is queued."""
        tensors = dict(enumerate(tensors, start=1))
        for attribute, (identity, of) in zip(attributes, tensors.items()):
            operation.set(attribute, DESCRIPTOR, self.tensor(identity, of))
        operation.set(epsilon_attribute, DESCRIPTOR, self.epsilon_tensor()).finalize()
        return self.queue(operation, tensors)

    def forward(self, mode, x, weights, out):
        rows = x.shape[0]
        statistics = [self.torch.empty((rows, 1), device="cuda") for _ in range(1 if mode == RMS_NORM else 2)]
        operation = Descriptor(self.cudnn, FORWARD).set(2000, NORM_MODE, mode).set(2001, NORM_PHASE, TRAINING)
        # x, gamma, [beta,] out, [mean,] 1 / deviation
        attributes = [2002, 2005, 2013, 2004] if mode == RMS_NORM else [2002, 2005, 2006, 2013, 2003, 2004]
        return self.complete(operation, attributes, [x, *weights, out, *statistics], 2007)

    def layernorm(self, x, gamma, beta, out):
        return self.forward(LAYER_NORM, x, [gamma, beta], out)

    def rmsnorm(self, x, gamma, out):
        return self.forward(RMS_NORM, x, [gamma], out)

    def layernorm_backward(self, x, dy, gamma, mean, deviation, outputs):
        operation = Descriptor(self.cudnn, BACKWARD).set(2100, NORM_MODE, LAYER_NORM)
        # x, dy, gamma, mean, 1 / deviation, dx, dgamma, dbeta
        attributes = [2101, 2104, 2105, 2102, 2103, 2109, 2107, 2108]
        return self.complete(operation, attributes, [x, dy, gamma, mean, deviation, *outputs], 2106)
