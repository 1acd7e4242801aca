"""Tests of the operator in this folder: python3 test_operator.py

With a GPU: values against PyTorch in float64, shapes with 0 and 1 elements, inputs that are not contiguous or not
aligned, refused inputs, torch.library.opcheck, gradients, torch.compile. Without one: schema, fake implementation and
what the operator computes on the CPU.
"""

import sys
import unittest

try:
    import torch

    import cases
    import reference
    import torch_op
except ImportError as missing:
    sys.exit(f"test_operator.py: this Python has no module '{missing.name}'; use one with PyTorch, and Triton for a Triton kernel")

HAS_GPU = torch.cuda.is_available()
needs_gpu = unittest.skipUnless(HAS_GPU, "needs a GPU that PyTorch sees")
runs_on_cpu = unittest.skipIf(torch_op.WAY == "triton_op", "a triton_op has no implementation for the CPU")


def as_tuple(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def devices():
    """Where the operator runs here."""
    return (["cuda"] if HAS_GPU else []) + ([] if torch_op.WAY == "triton_op" else ["cpu"])


class Operator(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def compare(self, got, inputs, absolute, relative):
        """Against the formula in float64. rtol and atol are the lab's, at these sizes."""
        with torch.no_grad():
            expected = as_tuple(reference.forward(*[one.detach().double() for one in inputs]))
        got = as_tuple(got)
        self.assertEqual(len(got), len(expected))
        for one, value in zip(got, expected):
            self.assertEqual(tuple(one.shape), tuple(value.shape))
            torch.testing.assert_close(one.detach().double(), value, atol=absolute, rtol=relative)

    @needs_gpu
    def test_values_at_every_size(self):
        for sizes, absolute, relative, spread in cases.CASES:
            with self.subTest(**sizes):
                inputs = cases.inputs(sizes, "cuda", spread)
                self.compare(torch_op.call(*inputs), inputs, absolute, relative)

    @needs_gpu
    def test_empty_tensors(self):
        if cases.EMPTY is None:
            self.skipTest("the operator takes no empty tensors")
        inputs = cases.inputs(cases.EMPTY, "cuda")
        for one in as_tuple(torch_op.call(*inputs)):
            self.assertEqual(one.numel(), 0)

    @needs_gpu
    def test_inputs_that_are_not_contiguous(self):
        sizes, absolute, relative, spread = cases.CASES[-1]
        inputs = []
        for one in cases.inputs(sizes, "cuda", spread):  # every second element of a longer tensor
            wide = torch.empty(*one.shape, 2, dtype=one.dtype, device="cuda")
            wide[..., 0] = one
            inputs.append(wide[..., 0])
        self.assertFalse(all(one.is_contiguous() for one in inputs))
        self.compare(torch_op.call(*inputs), inputs, absolute, relative)

    @needs_gpu
    def test_inputs_that_are_not_aligned(self):
        sizes, absolute, relative, spread = cases.CASES[-1]
        inputs = []
        for one in cases.inputs(sizes, "cuda", spread):  # one element behind the start of an allocation
            longer = torch.empty(one.numel() + 1, dtype=one.dtype, device="cuda")
            inputs.append(longer[1:].view(one.shape).copy_(one))
        self.assertNotEqual(inputs[0].data_ptr() % 16, 0)
        self.compare(torch_op.call(*inputs), inputs, absolute, relative)

    def test_other_element_types_are_refused(self):
        for device in devices():
            inputs = [one.to(torch.float64) for one in cases.inputs(cases.SMALL, device)]
            with self.assertRaisesRegex(ValueError, "float64"):
                torch_op.launch(*inputs)

    def test_other_shapes_are_refused(self):
        for device in devices():
            inputs = cases.inputs(cases.SMALL, device)
            wrong = torch.empty((), dtype=inputs[-1].dtype, device=device)  # no dimension at all
            if len(inputs) == 1 and torch_op.LAYOUT == "any shape":
                self.skipTest("the operator takes a tensor of any shape")
            with self.assertRaisesRegex(ValueError, "shape"):
                torch_op.launch(*inputs[:-1], wrong)

    @needs_gpu
    def test_tensors_of_the_cpu_are_refused_by_a_launch(self):
        with self.assertRaisesRegex(ValueError, "CUDA"):
            torch_op.launch(*cases.inputs(cases.SMALL, "cpu"))

    def test_schema(self):
        schema = str(torch_op.overload()._schema)
        self.assertEqual(schema, f"{torch_op.NAME}{torch_op.SCHEMA}")

    def test_fake_tensors_have_the_shapes_of_real_ones(self):
        from torch._subclasses.fake_tensor import FakeTensorMode

        for device in devices():
            inputs = cases.inputs(cases.SMALL, device)
            real = as_tuple(torch_op.call(*inputs))
            with FakeTensorMode() as mode:
                fake = as_tuple(torch_op.call(*[mode.from_tensor(one) for one in inputs]))
            for one, other in zip(real, fake):
                self.assertEqual((one.shape, one.dtype, one.stride()), (other.shape, other.dtype, other.stride()))

    @runs_on_cpu
    def test_values_on_the_cpu(self):
        inputs = cases.inputs(cases.SMALL, "cpu")
        self.compare(torch_op.call(*inputs), inputs, *cases.TOLERANCE_SMALL)

    def test_opcheck(self):
        """Schema, autograd registration, fake tensors, and a trace with dynamic shapes, as PyTorch checks them."""
        for device in devices():
            for wants_gradient in (False, True) if hasattr(reference, "backward") else (False,):
                with self.subTest(device=device, requires_grad=wants_gradient):
                    inputs = cases.inputs(cases.SMALL, device)
                    if wants_gradient:
                        inputs = [one.requires_grad_() for one in inputs]
                    torch.library.opcheck(torch_op.overload(), tuple(inputs), atol=cases.GRADIENT, rtol=cases.GRADIENT)

    def test_gradients_are_those_of_the_formula(self):
        """Backward of the operator against autograd of the formula in float64."""
        if not hasattr(reference, "backward"):
            self.skipTest("no gradient is registered")
        for device in devices():
            with self.subTest(device=device):
                inputs = [one.requires_grad_() for one in cases.inputs(cases.SMALL, device)]
                exact = [one.detach().double().requires_grad_() for one in inputs]
                got, expected = as_tuple(torch_op.call(*inputs)), as_tuple(reference.forward(*exact))
                weights = [torch.randn_like(one) for one in got]
                gradients = torch.autograd.grad(got, inputs, weights)
                wanted = torch.autograd.grad(expected, exact, [one.double() for one in weights])
                for one, value in zip(gradients, wanted):
                    torch.testing.assert_close(one.double(), value, atol=cases.GRADIENT, rtol=cases.GRADIENT)

    def test_gradcheck(self):
        """Backward against differences of forward.

        The kernel computes in fp32, so that a value near 1 is off by some 2^-24 = 6e-8. A difference over eps = 1e-2 is
        then off by 6e-8 / (2 · 1e-2) = 3e-6 from rounding, and by eps² / 6 of the third derivative, some 1e-5 to 1e-4,
        from curvature; sums over a row add a few of these. atol = rtol = 5e-3 leaves room for both and is far below
        the gradients, which are about 1. The default eps of 1e-6 is for float64: in fp32 it would give noise.
        """
        if not hasattr(reference, "backward"):
            self.skipTest("no gradient is registered")
        if torch_op.ELEMENT != torch.float32:
            self.skipTest("an element has 8 bits: rounding is larger than a difference")
        if not reference.SMOOTH:
            self.skipTest("the function has kinks, across which differences say nothing")
        import warnings

        for device in devices():
            with self.subTest(device=device), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that the inputs are not float64
                inputs = [one.requires_grad_() for one in cases.inputs(cases.TINY, device)]
                whole = sum(one.numel() for one in inputs) <= 256  # else along random directions
                self.assertTrue(
                    torch.autograd.gradcheck(torch_op.call, inputs, eps=1e-2, atol=5e-3, rtol=5e-3, fast_mode=not whole)
                )

    @needs_gpu
    def test_torch_compile_keeps_one_graph(self):
        compiled = torch.compile(torch_op.call, fullgraph=True)  # fullgraph: a graph break is an error
        sizes, absolute, relative, spread = cases.CASES[0]
        inputs = cases.inputs(sizes, "cuda", spread)
        self.compare(compiled(*inputs), inputs, absolute, relative)


if __name__ == "__main__":
    if not HAS_GPU:
        print("PyTorch sees no GPU here: what needs one is skipped.")
    unittest.main(verbosity=2)
