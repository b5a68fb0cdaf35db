import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { type Command, CommandError, type Terminal, UsageError } from '../console/command.ts';
import type { Output } from '../console/output.ts';
import { jsonLine } from '../console/printable.ts';
import { accessOptions } from '../console/server-access.ts';
import { heading, TextTable } from '../console/text-table.ts';

const TIME_LIMIT_MS = 60_000;
const MAX_OUTPUT = 8 * 1024 * 1024;
const PROBE = fileURLToPath(new URL('../../prober/query.ts', import.meta.url));

interface Player {
  name: string;
  score: number;
  time: number;
}

/** The JSON output of prober/query.ts, which queries one game server. */
type Answer = { game_id: string; server: string } & (
  | { online: true; query_port: number; payload: Record<string, unknown> & { raw: { players: Player[] } } }
  | { online: false; outcome: string; message: string }
);

function describe(answer: Answer, output: Output): string {
  const table = new TextTable(output);
  if (!answer.online) {
    return table.format([[answer.server, { text: answer.outcome, style: 'bad' }, answer.message]]);
  }
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
  return `${text}\n${new TextTable(output).format([heading('PLAYER', 'SCORE', 'TIME'), ...players])}`;
}

/**
 * Runs prober/query.ts, which queries one game server, in a separate process. Resolves to the exit status and the
 * stdout of this process.
 */
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
      if (code === null)
        reject(
          new CommandError(exitStatus.failed, `the process of the probe was ended by the signal ${signal}`),
        );
      else resolve({ status: code, text });
    });
  });
}

export const query: Command = {
  usage: ['<game> <address> [--secret-file <file>] [--option <name>=<value>]... [--json]'],
  about: `Queries one game server directly. The command needs no service and stores nothing. If the server sends
    no status, the command prints the reason as an outcome, for example no_reply, and the exit status is
    1. docs/cli.md lists all outcomes. <game> is an id of catalog.json. <address> is host:port, or
    [IPv6]:port. Every address is allowed, on every port that games use.`,
  options: {
    ...accessOptions,
    json: {
      type: 'boolean',
      about: `print one JSON object. If the server is online: {online: true, game_id, server, query_port,
        payload}; query_port is 0 if gsq knows servers of this game only from a public server list. If
        not online: {online: false, game_id, server, outcome, message}`,
    },
  },
  operand: 'games',
  async run(read, terminal) {
    if (read.positionals.length !== 2) throw new UsageError('a game and one address are needed');
    const file = read.value('secret-file');
    // Every user of this machine can see the arguments of a process. Therefore gsq passes the name of the secret file,
    // and not the secret.
    const access = read.values('option').map(option => `--option=${option}`);
    if (file !== undefined) access.push(`--secret-file=${file}`);
    const { status, text } = await ask(
      [...read.positionals, ...access],
      { ...terminal.env, ...read.given },
      terminal,
    );
    if (text === '') return status;
    const answer = JSON.parse(text) as Answer;
    terminal.out(read.flag('json') ? jsonLine(answer) : describe(answer, terminal.stdout));
    return status;
  },
};
