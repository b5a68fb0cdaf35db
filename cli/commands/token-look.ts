import { readFileSync } from 'node:fs';
import { gsqV1 } from '../../proto/descriptors.ts';
import { isWholeSecret, SECRET_PREFIX } from '../../proto/token-secret.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, CommandError, readArguments, UsageError } from '../console/command.ts';
import { TextTable } from '../console/text-table.ts';
import { isoTime } from '../console/timestamp.ts';
import { allowedFrom, oneTokenId, stateOf, tokenJson } from '../console/token-view.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

export const tokenUsage: Command = {
  help: `Usage: gsq token usage <id> [--json]

Shows how many requests a token made in the last 24 hours, the quota of the token, and the time of its last use.

  --json   print the token as a JSON object

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    const id = oneTokenId(read);
    const { token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call => call(admin.GetToken, { id }));
    if (!token) throw new CommandError(exitStatus.failed, 'the answer of the core is empty');
    if (read.flag('json')) {
      terminal.out(`${JSON.stringify(tokenJson(token))}\n`);
      return exitStatus.ok;
    }
    const rows = [
      ['token', `${token.id}, ${token.tier}, ${token.email}`],
      ['state', stateOf(token, Date.now())],
      ['used', `${token.used}${token.quota === 0 ? '' : ` of ${token.quota}`} in the last 24 hours`],
      ['last used', isoTime(token.lastUsedAt) ?? 'never'],
      ['expires', isoTime(token.expiresAt) ?? 'never'],
      ['previous secret', isoTime(token.previousSecretUntil) ?? 'not valid'],
      ['allowed from', allowedFrom(token)],
    ];
    terminal.out(new TextTable().format(rows));
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
  help: `Usage: gsq token check <file> [--json]

Checks whether a secret that gsq created is mistyped or incomplete. The check uses the checksum at the end of the
secret. <file> contains the secret; - is stdin. If the secret is mistyped or incomplete, the exit status is 1. A correct
checksum does not mean that the token is valid: only the service knows which tokens are valid. Secrets that an operator
chose have no checksum, and secrets of the first releases have none either.

  --json   print one JSON object: {whole, message}

The command needs no service. It never shows the secret.
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    const [file, ...more] = read.positionals;
    // The error message does not repeat the arguments, because a user can pass a secret as an argument by mistake.
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
      terminal.out(`${JSON.stringify({ whole: fault === undefined, message: fault ?? '' })}\n`);
    } else terminal.out(`${fault ?? 'whole'}\n`);
    return fault === undefined ? exitStatus.ok : exitStatus.failed;
  },
};
