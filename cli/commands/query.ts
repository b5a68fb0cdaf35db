import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, readArguments, type Terminal, UsageError } from '../command.ts';
import { scriptArguments } from '../script.ts';
import { TextTable } from '../text-table.ts';

const TIME_LIMIT_MS = 60_000;
const MAX_OUTPUT = 8 * 1024 * 1024;
const PROBE = fileURLToPath(new URL('../../prober/query.ts', import.meta.url));

interface Player {
  name: string;
  score: number;
  time: number;
}

/** What prober/query.ts prints. */
type Answer = { game_id: string; server: string } & (
  | { online: true; query_port: number; payload: Record<string, unknown> & { raw: { players: Player[] } } }
  | { online: false; outcome: string; message: string }
);

function describe(answer: Answer): string {
  const table = new TextTable();
  if (!answer.online) return table.format([[answer.server, 'offline', answer.message]]);
  const { raw, ...facts } = answer.payload;
  const rows = Object.entries(facts).map(([name, value]) => [name, String(value)]);
  const players = raw.players.map(({ name, score, time }) => [name, String(score), `${time} s`]);
  const text = table.format([
    ['server', answer.server],
    ['game', answer.game_id],
    ['query_port', String(answer.query_port)],
    ...rows,
  ]);
  if (players.length === 0) return text;
  return `${text}\n${new TextTable().format([['PLAYER', 'SCORE', 'TIME'], ...players])}`;
}

/** Runs the prober's one-shot script as a process of its own. */
function ask(
  names: readonly string[],
  env: Record<string, string | undefined>,
  terminal: Terminal,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...scriptArguments(PROBE), ...names], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < MAX_OUTPUT) text += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => terminal.talk(chunk.trimEnd()));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === null) reject(new CommandError(exitStatus.failed, `the probe ended by ${signal}`));
      else resolve({ status: code, text });
    });
  });
}

export const query: Command = {
  help: `Usage: gsq query <game> <address> [--json]

Asks one game server directly; needs no service and stores nothing. Exit status 1 where it does not answer.
<game> is an id of catalog.json; the address is host:port, [IPv6]:port for IPv6. Any address may be asked,
on any port that games use.

  --json   one JSON object: {online: true, game_id, server, query_port, payload}, where query_port is the port that
           answered, or {online: false, game_id, server, outcome, message}, where outcome is one of
           no_reply, malformed, refused, unresolvable, blocked and prober_fault
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    if (read.positionals.length !== 2) throw new UsageError('a game and one address are needed');
    const { status, text } = await ask(read.positionals, { ...terminal.env, ...read.given }, terminal);
    if (text !== '') terminal.out(read.flag('json') ? text : describe(JSON.parse(text) as Answer));
    return status;
  },
};
