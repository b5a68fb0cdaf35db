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

Shows what was used of a token in the last 24 hours, of how much, and when it was used last.

  --json   the token as a JSON object

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    const id = oneTokenId(read);
    const { token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call => call(admin.GetToken, { id }));
    if (!token) throw new CommandError(exitStatus.failed, 'an empty answer');
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
    ? 'mistyped or cut short: its checksum does not fit, or it has none'
    : `none that gsq made: those start with ${SECRET_PREFIX}`;
}

export const tokenCheck: Command = {
  help: `Usage: gsq token check <file> [--json]

Tells by its checksum whether a secret that gsq made was mistyped or cut. <file> holds the secret; - is stdin. A secret
that is whole may still be one that is not valid: whether it is, only the service knows. Exit status 1 where it is not whole.
Secrets an operator chose have no checksum, nor have those made before there was one.

  --json   one JSON object: {whole, message}

Needs no service. Never shows the secret.
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    const [file, ...more] = read.positionals;
    // The error does not repeat the arguments, because an extra argument is perhaps a secret.
    if (file === undefined || more.length > 0) throw new UsageError('the name of one file is needed, or -');
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
