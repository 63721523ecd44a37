"""Asks a running sidecar which tool comes next: python choose_tool.py "Is BA117 on time?" """

import sys

from codriver import Candidate, Client, CodriverError, Effect, Kind, Outcome

TOOLS = [
    Candidate("search_flights", "Find flights between two cities", effect=Effect.READ_ONLY),
    Candidate("get_flight_status", "Say if a flight is on time", effect=Effect.READ_ONLY),
    Candidate("book_flight", "Buy a ticket for a flight", effect=Effect.IRREVERSIBLE),
    Candidate("answer", "Answer the user in words", kind=Kind.RESPOND),
]


def main() -> int:
    text = " ".join(sys.argv[1:]) or "Is BA117 on time?"
    try:
        with Client() as client:
            decision = client.decide(TOOLS, text)
    except CodriverError as error:
        print(error, file=sys.stderr)
        return 1
    for scored in decision.ranking.scores:
        print(f"{scored.probability:6.1%}  {scored.name}")
    if decision.outcome is Outcome.ACT and decision.choice:
        print(f"call {decision.choice.name}")
    else:
        print(f"{decision.outcome}: {decision.reasons[0].detail}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
