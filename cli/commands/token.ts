import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, readArguments, UsageError } from '../console/command.ts';
import { readExpiry } from '../console/lifetime.ts';
import { TextTable } from '../console/text-table.ts';
import { isoTime } from '../console/timestamp.ts';
import { allowedFrom, oneTokenId, stateOf, tokenJson } from '../console/token-view.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

export const tokenCreate: Command = {
  help: `Usage: gsq token create --email <e-mail> [options]

Creates a token and prints its secret. No command can show this secret again.

  --email <e-mail>        e-mail address that callers send with the token
  --type FREE|PRO         tier of the token; default FREE
  --expires-in <time>     lifetime in minutes, hours or days, for example 30d; without it the token never expires
  --allow-ip <cidr>       addresses from which the token can be used; can be given more than once
  --allow-domain <name>   host names of web pages from which the token can be used, with their subdomains; can be given
                          more than once
  --json                  print one JSON object: {secret, token}

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(
      args,
      {
        email: { type: 'string' },
        type: { type: 'string' },
        'expires-in': { type: 'string' },
        'allow-ip': { type: 'string', multiple: true },
        'allow-domain': { type: 'string', multiple: true },
        json: { type: 'boolean' },
      },
      terminal,
    );
    const email = read.value('email');
    const tier = read.value('type') ?? 'FREE';
    const lifetime = read.value('expires-in');
    if (read.positionals.length > 0) throw new UsageError(`unexpected argument "${read.positionals[0]}"`);
    if (email === undefined) throw new UsageError('--email is needed');
    if (tier !== 'FREE' && tier !== 'PRO') throw new UsageError('--type must be FREE or PRO');
    const request = {
      email,
      tier,
      allowIps: [...read.values('allow-ip')],
      allowDomains: [...read.values('allow-domain')],
      ...(lifetime !== undefined && { expiresAt: readExpiry('expires-in', lifetime, Date.now()) }),
    };
    const { secret, token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
      call(admin.CreateToken, request),
    );
    if (read.flag('json')) {
      terminal.out(`${JSON.stringify({ secret, token: token && tokenJson(token) })}\n`);
      return exitStatus.ok;
    }
    terminal.talk(`Token ${token?.id} (${tier}, ${email}) is created. Its secret, shown only this once:`);
    terminal.out(`${secret}\n`);
    return exitStatus.ok;
  },
};

export const tokenList: Command = {
  help: `Usage: gsq token list [--json]

Lists all tokens, also the revoked and expired ones. Shows for each token how many requests it made in the last 24
hours, and the time of its last use. Never shows a secret.

  --json   print a JSON array of objects

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    if (read.positionals.length > 0) throw new UsageError('token list takes no argument');
    const { tokens } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call => call(admin.ListTokens, {}));
    if (read.flag('json')) {
      terminal.out(`${JSON.stringify(tokens.map(tokenJson))}\n`);
      return exitStatus.ok;
    }
    const now = Date.now();
    const rows = tokens.map(token => [
      token.id,
      token.tier,
      token.email,
      stateOf(token, now),
      String(token.used),
      isoTime(token.lastUsedAt) ?? 'never',
      isoTime(token.expiresAt) ?? 'never',
      allowedFrom(token),
    ]);
    const head = ['ID', 'TYPE', 'E-MAIL', 'STATE', 'USED 24 H', 'LAST USED', 'EXPIRES', 'ALLOWED FROM'];
    terminal.out(new TextTable().format([head, ...rows]));
    return exitStatus.ok;
  },
};

export const tokenRevoke: Command = {
  help: `Usage: gsq token revoke <id> [--json]

Makes a token invalid for good, immediately. <id> is the first column of "gsq token list", not the secret.

  --json   print the token as a JSON object

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { json: { type: 'boolean' } }, terminal);
    const id = oneTokenId(read);
    const { token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
      call(admin.RevokeToken, { id }),
    );
    if (read.flag('json')) terminal.out(`${JSON.stringify(token && tokenJson(token))}\n`);
    else terminal.talk(`Token ${id} is revoked.`);
    return exitStatus.ok;
  },
};
