"""Pure decisions: candidates, calibration, policy. No I/O, no gRPC, no ONNX."""
