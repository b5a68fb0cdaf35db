import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runGsq } from '../../cli/dispatch.ts';
import { piped } from '../cli/gsq-command.ts';
import { scratchDirectory } from './scratch-directory.ts';
import type { Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET } from './stack-settings.ts';
import { hearTold, keepSecret } from './transcript.ts';
import { until } from './until.ts';

/** Password of the fake Palworld server: a random secret, with characters that URLs must encode. */
export const PASSWORD = `pal's +world/${randomBytes(12).toString('base64url')}?&`;
/** Token of the fake Terraria server: a random secret. */
export const TOKEN = `tshock ${randomBytes(12).toString('hex')}`;
/** User name for the fake Palworld server: a random name, which occurs in no other text. */
export const USERNAME = `monitor-${randomBytes(8).toString('hex')}`;
// Adds the secrets of the fake servers to the search for leaked secrets. Palworld servers get `admin:` and the password
// as one base64 text, so this text is added too.
for (const secret of [PASSWORD, TOKEN, `admin:${PASSWORD}`]) keepSecret(secret);

/** Returns the settings of a test stack that stores its data in this directory and logs at level debug. */
export function debugSettings(directory: string): Record<string, string> {
  return { GSQ_DATA_DIR: directory, GSQ_LOG_LEVEL: 'debug' };
}

/** Writes a secret to a new file that only its owner can read. Returns the path. */
export function fileWith(secret: string): string {
  const path = join(scratchDirectory(), 'secret');
  writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  return path;
}

/** A game server in a REST answer of gsq. */
interface Fetched {
  name?: string;
  players?: number;
  _updater: { status: string };
}

/**
 * Fetches servers over REST. Returns them by address. Records the answer, because the test runner later searches it for
 * leaked secrets.
 */
export async function fetchServers(
  stack: Stack,
  gameId: string,
  servers: string[],
): Promise<Record<string, Fetched>> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    },
    body: JSON.stringify({ servers: [{ game_id: gameId, servers }] }),
  });
  const text = await response.text();
  hearTold('answers to fetches of servers with secrets', text);
  return JSON.parse(text) as Record<string, Fetched>;
}

/** Fetches one server over REST. Returns its status. */
export async function statusOf(stack: Stack, gameId: string, server: string): Promise<string> {
  return (await fetchServers(stack, gameId, [server]))[server]?._updater.status ?? '';
}

/** Waits until REST shows a server as online. */
export function untilOnline(stack: Stack, gameId: string, server: string): Promise<string> {
  return until(
    `${server} to be online`,
    () => statusOf(stack, gameId, server),
    status => status === 'online',
  );
}

/** Returns the number of probes that ended with this outcome, from the metrics of the prober. */
export async function probesEnded(stack: Stack, outcome: string): Promise<number> {
  const address = stack.process('prober').address('GSQ_PROBER_OPS_ADDR');
  const text = await (await fetch(`http://${address}/metrics`)).text();
  const pattern = new RegExp(`^gsq_probes_total\\{[^}]*outcome="${outcome}"\\} (\\d+)$`, 'gm');
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Runs a gsq command. Collects its output for the leak search. Returns the exit status and the output. */
export async function gsq(internal: string, ...args: string[]) {
  let out = '';
  let talk = '';
  const status = await runGsq(args, {
    env: { PATH: process.env.PATH, GSQ_INTERNAL_ADDR: internal, GSQ_INTERNAL_SECRET: INTERNAL_SECRET },
    out: text => {
      out += text;
    },
    ...piped,
    talk: line => {
      talk += `${line}\n`;
    },
  });
  hearTold('commands about servers with secrets', out + talk);
  return { status, out, talk };
}
