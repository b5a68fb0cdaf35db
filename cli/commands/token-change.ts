import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, readArguments, UsageError } from '../console/command.ts';
import { readExpiry, readLifetime } from '../console/lifetime.ts';
import { isoTime } from '../console/timestamp.ts';
import { allowedFrom, oneTokenId, tokenJson } from '../console/token-view.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

function grace(text: string): { seconds: number; nanos: number } {
  return { seconds: text === '0' ? 0 : readLifetime('grace', text) / 1000, nanos: 0 };
}

export const tokenRotate: Command = {
  help: `Usage: gsq token rotate <id> [--grace <time>] [--json]

Gives a token a new secret and prints it; it is shown nowhere else and never again. The secret the token had stays valid
for a while, in which callers change over; one that was in such a while already ends at once.

  --grace <time>   how long, in minutes, hours or days; 7d unless told otherwise, 365d at most, 0 for not at all
  --json           one JSON object: {secret, token}

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(args, { grace: { type: 'string' }, json: { type: 'boolean' } }, terminal);
    const id = oneTokenId(read);
    const text = read.value('grace');
    const request = { id, ...(text !== undefined && { grace: grace(text) }) };
    const { secret, token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
      call(admin.RotateToken, request),
    );
    if (read.flag('json')) {
      terminal.out(`${JSON.stringify({ secret, token: token && tokenJson(token) })}\n`);
      return exitStatus.ok;
    }
    const until = isoTime(token?.previousSecretUntil);
    const before = until === null ? 'is valid no more' : `stays valid until ${until}`;
    terminal.talk(`The secret that token ${id} had ${before}. Its new one, shown only now:`);
    terminal.out(`${secret}\n`);
    return exitStatus.ok;
  },
};

export const tokenAllow: Command = {
  help: `Usage: gsq token allow <id> [--ip <cidr>]... [--domain <name>]... [--json]
       gsq token allow <id> --none [--json]

Changes where a token may be used from, at once. A list that is given replaces the one the token had; the other stays.

  --ip <cidr>       addresses it may be used from; may be given more than once
  --domain <name>   host names, with their subdomains, of pages it may be used from; likewise
  --none            no list at all: the token works from anywhere
  --json            the token as a JSON object

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const read = readArguments(
      args,
      {
        ip: { type: 'string', multiple: true },
        domain: { type: 'string', multiple: true },
        none: { type: 'boolean' },
        json: { type: 'boolean' },
      },
      terminal,
    );
    const id = oneTokenId(read);
    const ips = read.values('ip');
    const domains = read.values('domain');
    const none = read.flag('none');
    if (none === ips.length + domains.length > 0) {
      throw new UsageError('either --ip and --domain, or --none, is needed');
    }
    const request = {
      id,
      ...((none || ips.length > 0) && { ips: { entries: [...ips] } }),
      ...((none || domains.length > 0) && { domains: { entries: [...domains] } }),
    };
    const { token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
      call(admin.AllowToken, request),
    );
    if (read.flag('json')) terminal.out(`${JSON.stringify(token && tokenJson(token))}\n`);
    else terminal.talk(`Token ${id} may be used from: ${token ? allowedFrom(token) : ''}`);
    return exitStatus.ok;
  },
};

export const tokenExpire: Command = {
  help: `Usage: gsq token expire <id> --in <time> [--json]
       gsq token expire <id> --never [--json]

Changes when a token ends. One that has ended is valid again; one that was revoked stays so.

  --in <time>   from now, in minutes, hours or days, such as 30d
  --never       not at all
  --json        the token as a JSON object

Talks to the core at GSQ_INTERNAL_ADDR (--internal-addr).
`,
  async run(args, terminal) {
    const own = { in: { type: 'string' }, never: { type: 'boolean' }, json: { type: 'boolean' } } as const;
    const read = readArguments(args, own, terminal);
    const id = oneTokenId(read);
    const lifetime = read.value('in');
    if (read.flag('never') === (lifetime !== undefined)) {
      throw new UsageError('either --in or --never is needed');
    }
    const expiresAt = lifetime === undefined ? null : readExpiry('in', lifetime, Date.now());
    const { token } = await withCore(read.config, 'GSQ_INTERNAL_ADDR', call =>
      call(admin.ExpireToken, { id, expiresAt }),
    );
    if (read.flag('json')) terminal.out(`${JSON.stringify(token && tokenJson(token))}\n`);
    else terminal.talk(`Token ${id} ends: ${isoTime(token?.expiresAt) ?? 'never'}`);
    return exitStatus.ok;
  },
};
