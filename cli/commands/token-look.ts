import { readFileSync } from 'node:fs';
import { gsqV1 } from '../../proto/descriptors.ts';
import { isWholeSecret, SECRET_PREFIX } from '../../proto/token-secret.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, UsageError } from '../console/command.ts';
import { jsonLine } from '../console/printable.ts';
import { type Cell, TextTable } from '../console/text-table.ts';
import { isoTime, readableTime } from '../console/timestamp.ts';
import { allowedFrom, oneTokenId, stateCell, tokenJson } from '../console/token-view.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

export const tokenUsage: Command = {
  usage: ['<id> [--json]'],
  about: `Shows how many requests a token made in the last 24 hours, the quota of the token, and the time of its
    last use.`,
  options: {
    json: { type: 'boolean', about: 'print the token as a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneTokenId(read);
    const { token } = await withCore(read.config, call => call(admin.GetToken, { id }));
    if (!token) throw new CommandError(exitStatus.failed, 'the answer of the core is empty');
    if (read.flag('json')) {
      terminal.out(jsonLine(tokenJson(token)));
      return exitStatus.ok;
    }
    const time = (timestamp: typeof token.expiresAt) =>
      readableTime(isoTime(timestamp), terminal.stdout, terminal.now);
    const rows: Cell[][] = [
      ['token', `${token.id}, ${token.tier}, ${token.email}`],
      ['state', stateCell(token, terminal.now())],
      ['used', `${token.used}${token.quota === 0 ? '' : ` of ${token.quota}`} in the last 24 hours`],
      ['last used', time(token.lastUsedAt) ?? 'never'],
      ['expires', time(token.expiresAt) ?? 'never'],
      ['previous secret', time(token.previousSecretUntil) ?? 'not valid'],
      ['allowed from', allowedFrom(token)],
    ];
    terminal.out(new TextTable(terminal.stdout).format(rows));
    return exitStatus.ok;
  },
};

/** Describes what is wrong with the format of a secret. Returns undefined if the format is valid. */
function faultOf(secret: string): string | undefined {
  if (isWholeSecret(secret)) return undefined;
  return secret.startsWith(SECRET_PREFIX)
    ? 'mistyped or incomplete: its checksum is wrong or missing'
    : `not a secret that gsq created: those start with ${SECRET_PREFIX}`;
}

export const tokenCheck: Command = {
  usage: ['<file> [--json]'],
  about: `Checks whether a secret that gsq created is mistyped or incomplete. The check uses the checksum at the
    end of the secret. <file> contains the secret; - is stdin. If the secret is mistyped or incomplete,
    the exit status is 1. A correct checksum does not mean that the token is valid: only the service knows
    which tokens are valid. Secrets that an operator chose have no checksum, and secrets of the first
    releases have none either.`,
  options: {
    json: { type: 'boolean', about: 'print one JSON object: {whole, message}' },
  },
  notes: 'The command needs no service. It never shows the secret.',
  async run(read, terminal) {
    const [file, ...more] = read.positionals;
    // The message about wrong arguments does not repeat the arguments, because a user can pass a secret by mistake.
    if (file === undefined || more.length > 0)
      throw new UsageError('exactly one file name is needed, or - for stdin');
    let secret: string;
    try {
      secret = readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new CommandError(exitStatus.failed, `the file with the secret cannot be read (${reason})`);
    }
    const fault = faultOf(secret);
    if (read.flag('json')) {
      terminal.out(jsonLine({ whole: fault === undefined, message: fault ?? '' }));
    } else terminal.out(`${fault ?? 'whole'}\n`);
    return fault === undefined ? exitStatus.ok : exitStatus.failed;
  },
};
