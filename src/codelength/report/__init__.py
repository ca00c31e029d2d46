"""Results to blocks, blocks to terminal, files and figures. Reads results, never fits anything."""
