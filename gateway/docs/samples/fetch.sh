curl --compressed --fail-with-body "$GSQ_URL/v1/post/fetch" \
  -H 'Content-Type: application/json' -H 'Prefer: wait=3' \
  -H "X-API-Token: $GSQ_TOKEN" -H 'X-API-Token-Type: FREE' -H "X-API-Token-Email: $GSQ_EMAIL" \
  -d '{"servers": [{"game_id": "counterstrike2", "servers": ["127.0.1.1:27515"]}]}'
