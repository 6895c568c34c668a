# SPDX-License-Identifier: Apache-2.0
"""DuckDB over timestamp_ms,key,cost: `scan` counts and sums, `keys` counts by key."""
import sys

import duckdb

query, path, threads = sys.argv[1:4]
database = duckdb.connect(config={"threads": int(threads)})
table = "read_csv(?, header=true, columns={'stamp': 'BIGINT', 'key': 'VARCHAR', 'cost': 'BIGINT'})"
if query == "scan":
    sql = f"select count(*), sum(stamp), sum(cost) from {table}"
else:
    sql = f"select count(*), max(n) from (select key, count(*) as n from {table} group by key)"
print(database.execute(sql, [path]).fetchall())
