"""Any Modbus meter that the catalogue declares."""
