"""Plain logs of meters and sensors."""
