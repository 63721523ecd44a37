"""ONNX Runtime: packs token plans into one row and runs the graph. Used in process and inside Triton."""
