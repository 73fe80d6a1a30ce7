"""Studies for programs that speak the Model Context Protocol, such as language models. It needs the extra `mcp`.

tools     the protocol, by the package mcp, over standard input and output
desk      what an agent may do in its role, as plain data
"""
