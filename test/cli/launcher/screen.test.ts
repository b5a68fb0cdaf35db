import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { type ScreenFacts, screen } from '../../../cli/launcher/screen.ts';

const facts: ScreenFacts = {
  addresses: {
    GSQ_HTTP_ADDR: '0.0.0.0:8080',
    GSQ_GRPC_ADDR: '127.0.0.1:50051',
    GSQ_GATEWAY_OPS_ADDR: '[::]:9090',
  },
  tls: { rest: false, grpc: false },
  dataDirectory: '/srv/data',
  temporary: false,
  token: { secret: 'gsq_secret', tier: 'FREE', email: "o'hara@example.com" },
  fleet: [],
};

/**
 * Finds the shell command that begins with `name` in the text that the launcher prints. Returns it with its
 * continuation lines.
 */
function commandOf(text: string, name: string): string {
  const found = new RegExp(`^  ${name}(?:[^\\n]*\\\\\\n)*[^\\n]*$`, 'm').exec(text);
  assert.ok(found, `no ${name} in:\n${text}`);
  return found[0].trim();
}

/** Splits a command into its arguments with a real shell. */
function argumentsOf(command: string): string[] {
  const script = command.replace(/^\S+/, 'printf "%s\\0"');
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

describe('the first screen of npm start', () => {
  test('shows addresses to which clients can connect, even if a port listens on all interfaces (0.0.0.0)', () => {
    const text = screen(facts);
    assert.match(text, /REST +http:\/\/127\.0\.0\.1:8080$/m);
    assert.match(text, /gRPC +127\.0\.0\.1:50051$/m);
    assert.match(text, /Ops +http:\/\/\[::1\]:9090\/metrics/m);
    assert.match(text, /Data +\/srv\/data$/m);
    assert.doesNotMatch(text, /Demo/);
  });

  test('shows https and commands for TLS for each port that uses TLS', () => {
    const rest = screen({ ...facts, tls: { rest: true, grpc: false } });
    assert.match(rest, /REST +https:\/\/127\.0\.0\.1:8080$/m);
    assert.ok(argumentsOf(commandOf(rest, 'curl')).includes('https://127.0.0.1:8080/v1/post/fetch'));
    assert.ok(argumentsOf(commandOf(rest, 'grpcurl')).includes('-plaintext'));
    const grpc = screen({ ...facts, tls: { rest: false, grpc: true } });
    assert.match(grpc, /REST +http:\/\/127\.0\.0\.1:8080$/m);
    assert.match(grpc, /gRPC +127\.0\.0\.1:50051 \(TLS\)$/m);
    assert.ok(!argumentsOf(commandOf(grpc, 'grpcurl')).includes('-plaintext'));
    const buf = argumentsOf(commandOf(grpc, 'npx buf curl'));
    assert.ok(!buf.includes('--http2-prior-knowledge'));
    assert.ok(buf.includes('https://127.0.0.1:50051/gsq.v1.ServerService/FetchServers'));
  });

  test('prints a curl command with the address of an example server, and a shell can run this command without changes', () => {
    const text = screen(facts);
    const args = argumentsOf(commandOf(text, 'curl'));
    assert.deepEqual(args, [
      '--compressed',
      'http://127.0.0.1:8080/v1/post/fetch',
      '-H',
      'Content-Type: application/json',
      '-H',
      'Prefer: wait=3',
      '-w',
      '\\n',
      '-H',
      'X-API-Token: gsq_secret',
      '-H',
      'X-API-Token-Type: FREE',
      '-H',
      "X-API-Token-Email: o'hara@example.com",
      '-d',
      '{"servers":[{"game_id":"rust","servers":["203.0.113.7:27015"]}]}',
    ]);
    assert.match(text, /Replace the game and the server by your own/);
  });

  test('lists all demo servers, and prints a curl command that requests one server of each protocol', () => {
    const fleet = [
      { gameId: 'minecraft', address: '127.0.0.1:1', protocol: 'minecraft' },
      { gameId: 'q3a', address: '127.0.0.1:2', protocol: 'quake3' },
      { gameId: 'minecraft', address: '127.0.0.1:3', protocol: 'minecraft' },
      { gameId: 'openarena', address: '127.0.0.1:4', protocol: 'quake3' },
    ];
    const text = screen({ ...facts, fleet, temporary: true });
    assert.match(
      text,
      /^ {2}Demo {3}minecraft {2}127\.0\.0\.1:1, 127\.0\.0\.1:3\n {9}q3a {8}127\.0\.0\.1:2\n {9}openarena {2}127\.0\.0\.1:4$/m,
    );
    assert.deepEqual(JSON.parse(argumentsOf(commandOf(text, 'curl')).at(-1) ?? ''), {
      servers: [
        { game_id: 'minecraft', servers: ['127.0.0.1:1'] },
        { game_id: 'q3a', servers: ['127.0.0.1:2'] },
      ],
    });
    assert.match(text, /deleted when gsq stops/);
    assert.doesNotMatch(text, /Replace the game/);
  });

  test('prints the request also as a grpcurl command and as a buf command', () => {
    const text = screen(facts);
    const grpcurl = argumentsOf(commandOf(text, 'grpcurl'));
    assert.equal(grpcurl[0], '-plaintext');
    assert.deepEqual(grpcurl.slice(-2), ['127.0.0.1:50051', 'gsq.v1.ServerService/FetchServers']);
    const buf = argumentsOf(commandOf(text, 'npx'));
    assert.deepEqual(buf.slice(0, 5), ['buf', 'curl', '--protocol', 'grpc', '--http2-prior-knowledge']);
    assert.equal(buf.at(-1), 'http://127.0.0.1:50051/gsq.v1.ServerService/FetchServers');
    assert.deepEqual(JSON.parse(buf.at(-2) ?? ''), {
      servers: [{ game_id: 'rust', servers: ['203.0.113.7:27015'] }],
      wait_ms: 3000,
    });
  });

  test('explains how to create a token, and prints commands with the placeholder YOUR-TOKEN, if the start created no token', () => {
    const text = screen({ ...facts, token: undefined });
    assert.match(text, /token create --email/);
    assert.doesNotMatch(text, /gsq_/);
    assert.ok(argumentsOf(commandOf(text, 'curl')).includes('X-API-Token: YOUR-TOKEN'));
  });
});
