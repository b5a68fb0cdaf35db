const { GSQ_URL, GSQ_TOKEN, GSQ_EMAIL } = process.env;

const response = await fetch(`${GSQ_URL}/v1/post/fetch`, {
  method: 'POST',
  headers: {
    'Content-Type': 'application/json',
    'X-API-Token': GSQ_TOKEN,
    'X-API-Token-Type': 'FREE',
    'X-API-Token-Email': GSQ_EMAIL,
    Prefer: 'wait=3',
  },
  body: JSON.stringify({ servers: [{ game_id: 'counterstrike2', servers: ['127.0.1.1:27515'] }] }),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.message);
const server = answer['127.0.1.1:27515'];
console.log(server.name ?? server.message, server.players ?? '');
