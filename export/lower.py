"""Lowers the traced graph to standard ONNX ops of opset 23."""

from __future__ import annotations

import onnx

OPSET = 23
"""The first opset with Attention."""


def lower(model: onnx.ModelProto) -> onnx.ModelProto:
    """Turns the traced ``codriver::Attention`` into ONNX Attention. The other traced ops mean the same in opset 23."""
    for node in model.graph.node:
        if node.domain == "codriver":
            node.domain = ""
    del model.opset_import[:]
    model.opset_import.append(onnx.helper.make_opsetid("", OPSET))
    model.ir_version = 10
    del model.graph.value_info[:]
    onnx.checker.check_model(model)
    return model
