import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { type ScreenFacts, screen } from '../../../cli/launcher/screen.ts';
import { commandOf, LINES_BESIDE_SCREEN } from '../first-screen.ts';

const facts: ScreenFacts = {
  addresses: {
    GSQ_HTTP_ADDR: '0.0.0.0:8080',
    GSQ_GRPC_ADDR: '127.0.0.1:50051',
    GSQ_GATEWAY_OPS_ADDR: '[::]:9090',
  },
  tls: { rest: false, grpc: false },
  dataPlace: './data',
  temporary: false,
  settings: {},
  tier: 'FREE',
  email: "o'hara@example.com",
  secret: 'gsq_uiElcd1RxPHjNBc3sKgizhytQp3myb17T1I3',
  examples: [],
  fleetSize: 0,
};
const fleet = [
  { gameId: 'counterstrike2', address: '127.0.1.1:27515' },
  { gameId: 'minecraft', address: '127.0.8.1:25665' },
];
const settings = {
  GSQ_INTERNAL_ADDR: '127.0.0.1:49153',
  GSQ_GATEWAY_OPS_ADDR: '127.0.0.1:49154',
  GSQ_CORE_OPS_ADDR: '127.0.0.1:49155',
  GSQ_PROBER_OPS_ADDR: '127.0.0.1:49156',
  GSQ_NOTIFIER_OPS_ADDR: '127.0.0.1:49157',
  GSQ_DATA_DIR: "/srv/the data of o'hara",
};

/**
 * Runs the example command (curl, with its shell variables) from the first screen of `npm start` in a real shell. Puts
 * `printf` in the place of curl. Returns the arguments that curl would get.
 */
function argumentsOf(text: string): string[] {
  const script = commandOf(text).replace(/^ *curl/m, 'printf "%s\\0"');
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('the first screen of npm start', () => {
  test('shows an address to which clients can connect (127.0.0.1) if a port listens on all interfaces (0.0.0.0)', () => {
    const text = screen(facts);
    assert.match(text, /REST +http:\/\/127\.0\.0\.1:8080 +gRPC +127\.0\.0\.1:50051$/m);
    assert.match(text, /Ops +http:\/\/\[::1\]:9090\/metrics +Data +\.\/data$/m);
    assert.doesNotMatch(text, /demo/i);
  });

  test('begins with the address of the web page if GSQ_PAGE is on, and says who can see this page', () => {
    const text = screen({ ...facts, isPageOn: true });
    const [, second = ''] = text.split('\n');
    assert.match(second, /^Page +http:\/\/127\.0\.0\.1:8080\/ for everybody who reaches it \(GSQ_PAGE=on\)$/);
    assert.ok(text.split('\n').every(line => line.length <= 80));
    assert.doesNotMatch(screen(facts), /GSQ_PAGE/);
  });

  test('shows for each public port whether it uses TLS', () => {
    const rest = screen({ ...facts, tls: { rest: true, grpc: false } });
    assert.match(rest, /REST +https:\/\/127\.0\.0\.1:8080/);
    assert.ok(argumentsOf(rest).includes('https://127.0.0.1:8080/v1/post/fetch'));
    const grpc = screen({ ...facts, tls: { rest: false, grpc: true } });
    assert.match(grpc, /REST +http:\/\/127\.0\.0\.1:8080/);
    assert.match(grpc, /gRPC +127\.0\.0\.1:50051 \(TLS\)$/m);
  });

  test('prints a curl command that a shell can run without changes, and explains its placeholders GAME and HOST:PORT', () => {
    const text = screen(facts);
    assert.deepEqual(argumentsOf(text), [
      '--compressed',
      'http://127.0.0.1:8080/v1/post/fetch',
      '-H',
      'Prefer: wait=5',
      '-H',
      'Content-Type: application/json',
      '-H',
      'X-API-Token-Type: FREE',
      '-H',
      `X-API-Token: ${facts.secret}`,
      '-H',
      "X-API-Token-Email: o'hara@example.com",
      '-w',
      '\\n',
      '-d',
      '{"servers":[{"game_id":"GAME","servers":["HOST:PORT"]}]}',
    ]);
    assert.match(text, /HOST:PORT is its address, GAME the id of its game/);
    assert.match(text, /Game ids: .*games rust$/m);
  });

  test('prints the secret of the token only once', () => {
    for (const examples of [[], fleet])
      assert.equal(screen({ ...facts, examples }).split(facts.secret ?? '').length, 2);
  });

  test('prints a curl command with the addresses of tracked servers instead of placeholders, if gsq tracks any servers', () => {
    const text = screen({ ...facts, examples: fleet });
    assert.deepEqual(JSON.parse(argumentsOf(text).at(-1) ?? ''), {
      servers: fleet.map(({ gameId, address }) => ({ game_id: gameId, servers: [address] })),
    });
    assert.doesNotMatch(text, /HOST:PORT/);
  });

  test('contains shell commands that export the settings that gsq commands need to reach the service', () => {
    const script = `${commandOf(screen({ ...facts, settings })).replace(/^ *curl/m, ':')}\nprintf %s "$GSQ_DATA_DIR"`;
    assert.equal(execFileSync('sh', ['-c', script], { encoding: 'utf8' }), settings.GSQ_DATA_DIR);
  });

  test('prints a command that creates a token with an e-mail and a tier if npm start created no token', () => {
    const text = screen({ ...facts, secret: undefined, tier: 'PRO', email: 'ada@workbench' });
    assert.match(text, /The service has a token\./);
    assert.match(text, /TOKEN=\$\(.*token create --email ada@workbench --type (?:\\\n +)?PRO\)/);
    assert.doesNotMatch(text, /gsq_/);
  });

  test('asks the user to set GSQ_INTERNAL_SECRET in a second terminal only if npm start uses this setting', () => {
    const text = screen({ ...facts, secretIsSetting: true });
    assert.match(text, /^In a second terminal, first set GSQ_INTERNAL_SECRET: gsq commands need it\.$/m);
    assert.doesNotMatch(screen(facts), /GSQ_INTERNAL_SECRET/);
  });

  test('does not mention programs that gsq does not need, such as buf and grpcurl', () => {
    assert.doesNotMatch(screen(facts), /buf|grpcurl/);
  });

  const long = {
    gameId: 'counterstrikeconditionzero',
    address: 'a-game-server.with-a-long-domain.example.com:65535',
  };
  for (const [about, changed] of Object.entries<Partial<ScreenFacts>>({
    'a first start': {},
    'a second start': { secret: undefined },
    'a demo': { examples: fleet, fleetSize: 12, temporary: true, dataPlace: '/tmp/gsq-demo-AbCdEf' },
    'a start at free ports': { settings },
    'a start with a secret as a setting': { secretIsSetting: true },
    'a demo at free ports': { examples: fleet, fleetSize: 12, settings: { ...settings, GSQ_DATA_DIR: '/d' } },
    'a long example': { examples: [long] },
    'a long e-mail': { email: `${'u'.repeat(32)}@${'h'.repeat(32)}` },
    'a long data directory': {
      temporary: true,
      dataPlace: '/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/gsq-demo-QBlYdH',
    },
  })) {
    test(`fits a terminal of 24 lines and 80 columns in this case: ${about}`, () => {
      const text = screen({ ...facts, ...changed });
      const lines = text.trimEnd().split('\n');
      for (const line of lines) assert.ok(line.length <= 80, line);
      assert.ok(lines.length + LINES_BESIDE_SCREEN <= 24, `${lines.length} lines:\n${text}`);
    });
  }
});
