"""Row-wise int8 from standard ops: every activation row has its own scale, so neighbours in a batch cannot matter.

Activations become uint8 around 128, weights int8 per output channel. Weights keep to [-64, 64]: processors without VNNI add
two products in 16 bits (vpmaddubsw), and 2 * 255 * 64 = 32640 still fits, so every processor gives the same sums.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

WEIGHT_MAX = 64.0
ACTIVATION_MAX = 127.0
SMALLEST = 1e-12
MIN_WEIGHT_ELEMENTS = 256 * 256
HEAD_PREFIX = "head."


def quantise(model: onnx.ModelProto) -> onnx.ModelProto:
    """Quantises the decoder's matrix products and its embedding; the head stays in fp32."""
    weights = {t.name: t for t in model.graph.initializer}
    users: dict[str, int] = {}
    for node in model.graph.node:
        for name in node.input:
            users[name] = users.get(name, 0) + 1
    rewriter = _Rewriter()
    nodes: list[onnx.NodeProto] = []
    for node in model.graph.node:
        nodes += rewriter.rewrite(node, weights)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    kept = [t for t in model.graph.initializer if t.name not in rewriter.replaced]
    del model.graph.initializer[:]
    model.graph.initializer.extend([*kept, *rewriter.constants()])
    onnx.checker.check_model(model)
    return model


def quantise_weight(weight: npt.NDArray[np.float32], axis: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Symmetric int8 with one scale per slice; ``axis`` is the one that the scale is shared along."""
    scale = np.maximum(np.abs(weight).max(axis=axis, keepdims=True) / WEIGHT_MAX, SMALLEST)
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


class _Rewriter:
    def __init__(self) -> None:
        self.replaced: set[str] = set()
        self._tensors: dict[str, onnx.TensorProto] = {}
        self._quantised: set[str] = set()

    def constants(self) -> list[onnx.TensorProto]:
        """Every initializer that the rewritten nodes use."""
        return list(self._tensors.values())

    def rewrite(self, node: onnx.NodeProto, weights: dict[str, onnx.TensorProto]) -> list[onnx.NodeProto]:
        """The nodes that take the place of ``node``."""
        if node.op_type == "MatMul" and _large(weights.get(node.input[1])):
            return self._matmul(node, numpy_helper.to_array(weights[node.input[1]]))
        if node.op_type == "Gather" and _large(weights.get(node.input[0])):
            return self._gather(node, numpy_helper.to_array(weights[node.input[0]]))
        return [node]

    def _matmul(self, node: onnx.NodeProto, weight: npt.NDArray[np.float32]) -> list[onnx.NodeProto]:
        x, name, out = node.input[0], node.input[1], node.output[0]
        self.replaced.add(name)
        values, scale = quantise_weight(weight, 0)
        self._add(f"{name}.q", values)
        self._add(f"{name}.scale", scale[0])
        self._add("q.zero", np.array(128, np.uint8))
        return [
            *self._activation(x),
            helper.make_node("MatMulInteger", [f"{x}.q", f"{name}.q", "q.zero"], [f"{out}.i"]),
            helper.make_node("Cast", [f"{out}.i"], [f"{out}.f"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{out}.f", f"{x}.scale"], [f"{out}.r"]),
            helper.make_node("Mul", [f"{out}.r", f"{name}.scale"], [out]),
        ]

    def _activation(self, x: str) -> list[onnx.NodeProto]:
        """Quantises an activation once, whatever the number of products that read it."""
        if x in self._quantised:
            return []
        self._quantised.add(x)
        self._add("q.last", np.array([-1], np.int64))
        self._add("q.max", np.array(ACTIVATION_MAX, np.float32))
        self._add("q.smallest", np.array(SMALLEST, np.float32))
        self._add("q.offset", np.array(128, np.float32))
        steps = [
            ("Abs", [x], f"{x}.abs", {}),
            ("ReduceMax", [f"{x}.abs", "q.last"], f"{x}.top", {"keepdims": 1}),
            ("Max", [f"{x}.top", "q.smallest"], f"{x}.safe", {}),
            ("Div", [f"{x}.safe", "q.max"], f"{x}.scale", {}),
            ("Div", [x, f"{x}.scale"], f"{x}.d", {}),
            ("Round", [f"{x}.d"], f"{x}.n", {}),
            ("Add", [f"{x}.n", "q.offset"], f"{x}.o", {}),
        ]
        nodes = [helper.make_node(op, inputs, [output], **kw) for op, inputs, output, kw in steps]
        return [*nodes, helper.make_node("Cast", [f"{x}.o"], [f"{x}.q"], to=TensorProto.UINT8)]

    def _gather(self, node: onnx.NodeProto, table: npt.NDArray[np.float32]) -> list[onnx.NodeProto]:
        name, index, out = node.input[0], node.input[1], node.output[0]
        self.replaced.add(name)
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True) / 127.0, SMALLEST).astype(np.float32)
        self._add(f"{name}.q", np.rint(table / scale).astype(np.int8))
        self._add(f"{name}.scale", scale)
        return [
            helper.make_node("Gather", [f"{name}.q", index], [f"{out}.q"]),
            helper.make_node("Cast", [f"{out}.q"], [f"{out}.f"], to=TensorProto.FLOAT),
            helper.make_node("Gather", [f"{name}.scale", index], [f"{out}.s"]),
            helper.make_node("Mul", [f"{out}.f", f"{out}.s"], [out]),
        ]

    def _add(self, name: str, value: npt.NDArray[np.generic]) -> None:
        self._tensors.setdefault(name, numpy_helper.from_array(np.asarray(value), name))


def _large(tensor: onnx.TensorProto | None) -> bool:
    """Whether a weight belongs to the decoder; the head's are small and stay exact."""
    return (
        tensor is not None
        and len(tensor.dims) == 2
        and not tensor.name.startswith(HEAD_PREFIX)
        and (tensor.dims[0] * tensor.dims[1] >= MIN_WEIGHT_ELEMENTS)
    )
