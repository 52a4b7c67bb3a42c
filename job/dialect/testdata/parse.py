"""Has the session's own parser read statements and names, without running anything."""

import json


def run(session, statements, names):
    """Of each statement what is wrong with it, "" for nothing; of each name its parts."""
    parser = session._jsparkSession.sessionState().sqlParser()

    def wrong(statement):
        try:
            parser.parsePlan(statement)
        except Exception as e:
            return str(e).splitlines()[0] or "refused"
        return ""

    def parts(name):
        found = parser.parseMultipartIdentifier(name)
        return [found.apply(i) for i in range(found.size())]

    return {"wrong": [wrong(s) for s in json.loads(statements)], "names": [parts(n) for n in json.loads(names)]}
