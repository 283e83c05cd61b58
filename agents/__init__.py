"""Six agents, each a prompt, a reply schema and one async function; `export` wraps them for
LangGraph.

Explainer    names the aspects of a domain; finds what an answer mentions; explains a concept
Questioner   writes a question from a passage, and answers it from the passage alone; writes one
with options Paraphraser  puts a question in other words, and checks that it still is the same
Prober       asks the target FactFinder   retrieves evidence Judge        compares an answer with
the reference; reads letters; says what a wrong choice comes from
"""
