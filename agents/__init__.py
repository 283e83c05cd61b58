"""Five agents, each a prompt, a reply schema and one async function. `fathom.agents.export` wraps them for LangGraph.

Explainer   names the aspects of a domain; finds what an answer mentions
Questioner  writes a question from a passage; answers it from the passage alone
Prober      asks the target
FactFinder  retrieves evidence
Judge       compares an answer with the reference
"""
