# SPDX-License-Identifier: Apache-2.0
"""Validates JSON documents against a schema: validate.py SCHEMA DOCUMENT...

Exit code 0 when all are valid, 1 when one is not, 77 when jsonschema is not installed.
"""

import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
code = 0
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        for error in validator.iter_errors(json.load(file)):
            print(f"{path}: {error.json_path}: {error.message}")
            code = 1
sys.exit(code)
