import json, os, urllib.request

request = urllib.request.Request(
    os.environ["GSQ_URL"] + "/v1/post/fetch",
    data=json.dumps({"servers": [{"game_id": "counterstrike2", "servers": ["127.0.1.1:27515"]}]}).encode(),
    headers={
        "Content-Type": "application/json",
        "X-API-Token": os.environ["GSQ_TOKEN"],
        "X-API-Token-Type": "FREE",
        "X-API-Token-Email": os.environ["GSQ_EMAIL"],
        "Prefer": "wait=3",
        "Accept-Encoding": "identity",
    },
)
with urllib.request.urlopen(request) as response:
    server = json.load(response)["127.0.1.1:27515"]
print(server.get("name", server.get("message")), server.get("players", ""))
