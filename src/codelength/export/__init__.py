"""Export of fitted models: scorer documents, SQL, ONNX, BIF and XMLBIF."""
