import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, UsageError } from '../console/command.ts';
import { readExpiry, readLifetime } from '../console/lifetime.ts';
import { jsonLine } from '../console/printable.ts';
import { isoTime, readableTime } from '../console/timestamp.ts';
import { allowedFrom, oneTokenId, tokenJson } from '../console/token-view.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

function grace(text: string): { seconds: number; nanos: number } {
  return { seconds: text === '0' ? 0 : readLifetime('grace', text) / 1000, nanos: 0 };
}

export const tokenRotate: Command = {
  usage: ['<id> [--grace <time>] [--json]'],
  about: `Gives a token a new secret and prints this secret. No command can show it again. The old secret stays
    valid for a grace period, so that callers have time to change it. If an even older secret is still in
    its grace period, it becomes invalid immediately.`,
  options: {
    grace: {
      type: 'string',
      value: '<time>',
      about: `length of the grace period in minutes, hours or days, for example 12h; default 7d, at most 365d;
        0: the old secret becomes invalid immediately`,
    },
    json: { type: 'boolean', about: 'print one JSON object: {secret, token}' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneTokenId(read);
    const text = read.value('grace');
    const request = { id, ...(text !== undefined && { grace: grace(text) }) };
    const { secret, token } = await withCore(read.config, call => call(admin.RotateToken, request));
    if (read.flag('json')) {
      terminal.out(jsonLine({ secret, token: token && tokenJson(token) }));
      return exitStatus.ok;
    }
    const until = isoTime(token?.previousSecretUntil);
    const before = until === null ? 'is no longer valid' : `stays valid until ${until}`;
    terminal.talk(`The old secret of token ${id} ${before}. The new secret, shown only this once:`);
    terminal.out(`${secret}\n`);
    return exitStatus.ok;
  },
};

export const tokenAllow: Command = {
  usage: ['<id> [--ip <cidr>]... [--domain <name>]... [--json]', '<id> --none [--json]'],
  about: `Changes from where a token can be used. The change takes effect immediately. The given list replaces
    the old list of the token; if only one of the two lists is given, the other list does not change.`,
  options: {
    ip: {
      type: 'string',
      multiple: true,
      value: '<cidr>',
      about: 'addresses from which the token can be used; can be given more than once',
    },
    domain: {
      type: 'string',
      multiple: true,
      value: '<name>',
      about: `host names of web pages from which the token can be used, with their subdomains; can be given more
        than once`,
    },
    none: { type: 'boolean', about: 'remove both lists: the token can be used from anywhere' },
    json: { type: 'boolean', about: 'print the token as a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneTokenId(read);
    const ips = read.values('ip');
    const domains = read.values('domain');
    const none = read.flag('none');
    if (none === ips.length + domains.length > 0) {
      throw new UsageError('give --ip or --domain or both, or give only --none');
    }
    const request = {
      id,
      ...((none || ips.length > 0) && { ips: { entries: [...ips] } }),
      ...((none || domains.length > 0) && { domains: { entries: [...domains] } }),
    };
    const { token } = await withCore(read.config, call => call(admin.AllowToken, request));
    if (read.flag('json')) terminal.out(jsonLine(token && tokenJson(token)));
    else terminal.talk(`Token ${id} can be used from: ${token ? allowedFrom(token) : ''}`);
    return exitStatus.ok;
  },
};

export const tokenExpire: Command = {
  usage: ['<id> --in <time> [--json]', '<id> --never [--json]'],
  about: `Changes when a token expires. A token that has already expired becomes valid again. A revoked token
    stays revoked.`,
  options: {
    in: {
      type: 'string',
      value: '<time>',
      about: 'the token expires after this time from now, in minutes, hours or days, for example 30d',
    },
    never: { type: 'boolean', about: 'the token never expires' },
    json: { type: 'boolean', about: 'print the token as a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneTokenId(read);
    const lifetime = read.value('in');
    if (read.flag('never') === (lifetime !== undefined)) {
      throw new UsageError('give either --in or --never');
    }
    const expiresAt = lifetime === undefined ? null : readExpiry('in', lifetime, terminal.now());
    const { token } = await withCore(read.config, call => call(admin.ExpireToken, { id, expiresAt }));
    if (read.flag('json')) terminal.out(jsonLine(token && tokenJson(token)));
    else
      terminal.talk(
        `Token ${id} expires: ${readableTime(isoTime(token?.expiresAt), terminal.stderr, terminal.now) ?? 'never'}`,
      );
    return exitStatus.ok;
  },
};
