"""The paper's experiments, reproduced and carried further: `python -m benchmarks.paper`, or `make paper`.

| module | does |
|---|---|
| `plan` | says what an experiment is: which runs it needs, and how its section is written |
| `experiments` | the experiments, one file each |
| `campaign` | makes the runs that are missing, and appends each to the raw results |
| `executors` | where runs are made: processes of this machine, or a Dask cluster |
| `rawdata` | the raw results as one CSV file, all that the report needs |
| `document` | sections of text, tables and figures, as Markdown and as HTML |
| `tables`, `figures` | what sections are made of |
| `report` | raw results in; `docs/benchmarks.md` and its figures out; rows and an HTML page into `out/` |
"""
