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

Makes a token and prints its secret, which is shown nowhere else and never again.

  --email <e-mail>        the address callers send with the token
  --type FREE|PRO         its tier; FREE unless told otherwise
  --expires-in <time>     lifetime in minutes, hours or days, such as 30d; without it the token never expires
  --allow-ip <cidr>       addresses it may be used from; may be given more than once
  --allow-domain <name>   host names, with their subdomains, of pages it may be used from; likewise
  --json                  one JSON object: {secret, token}

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
    if (read.positionals.length > 0) throw new UsageError(`"${read.positionals[0]}" belongs to no option`);
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
    terminal.talk(`Token ${token?.id} (${tier}, ${email}) is made. Its secret, shown only now:`);
    terminal.out(`${secret}\n`);
    return exitStatus.ok;
  },
};

export const tokenList: Command = {
  help: `Usage: gsq token list [--json]

Lists every token, revoked and expired ones too, with what was used of it in the last 24 hours and when
it was used last. Never its secret.

  --json   a JSON array of objects

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

Ends a token for good, at once. <id> is the first column of "gsq token list", not the secret.

  --json   the token as a JSON object

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
