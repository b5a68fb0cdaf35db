import { gsqV1 } from '../../proto/descriptors.ts';
import { exitStatus } from '../../runtime/lifecycle.ts';
import { type Command, UsageError } from '../console/command.ts';
import { readExpiry } from '../console/lifetime.ts';
import { jsonLine } from '../console/printable.ts';
import { heading, TextTable } from '../console/text-table.ts';
import { isoTime, readableTime } from '../console/timestamp.ts';
import { allowedFrom, oneTokenId, stateCell, tokenJson } from '../console/token-view.ts';
import { withCore } from '../service/core-call.ts';

const admin = gsqV1.AdminService.service;

export const tokenCreate: Command = {
  usage: ['--email <e-mail> [options]'],
  about: 'Creates a token and prints its secret. No command can show this secret again.',
  options: {
    email: { type: 'string', value: '<e-mail>', about: 'e-mail address that callers send with the token' },
    type: {
      type: 'string',
      value: 'FREE|PRO',
      values: ['FREE', 'PRO'],
      about: 'tier of the token; default FREE',
    },
    'expires-in': {
      type: 'string',
      value: '<time>',
      about: 'lifetime in minutes, hours or days, for example 30d; without it the token never expires',
    },
    'allow-ip': {
      type: 'string',
      multiple: true,
      value: '<cidr>',
      about: 'addresses from which the token can be used; can be given more than once',
    },
    'allow-domain': {
      type: 'string',
      multiple: true,
      value: '<name>',
      about: `host names of web pages from which the token can be used, with their subdomains; can be given more
        than once`,
    },
    json: { type: 'boolean', about: 'print one JSON object: {secret, token}' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
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
      ...(lifetime !== undefined && { expiresAt: readExpiry('expires-in', lifetime, terminal.now()) }),
    };
    const { secret, token } = await withCore(read.config, call => call(admin.CreateToken, request));
    if (read.flag('json')) {
      terminal.out(jsonLine({ secret, token: token && tokenJson(token) }));
      return exitStatus.ok;
    }
    terminal.talk(`Token ${token?.id} (${tier}, ${email}) is created. Its secret, shown only this once:`);
    terminal.out(`${secret}\n`);
    return exitStatus.ok;
  },
};

export const tokenList: Command = {
  usage: ['[--json]'],
  about: `Lists all tokens, also the revoked and expired ones. Shows for each token how many requests it made in
    the last 24 hours, and the time of its last use. Never shows a secret.`,
  options: {
    json: { type: 'boolean', about: 'print a JSON array of objects' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    if (read.positionals.length > 0) throw new UsageError('token list takes no argument');
    const { tokens } = await withCore(read.config, call => call(admin.ListTokens, {}));
    if (read.flag('json')) {
      terminal.out(jsonLine(tokens.map(tokenJson)));
      return exitStatus.ok;
    }
    const now = terminal.now();
    const time = (timestamp: (typeof tokens)[number]['expiresAt']) =>
      readableTime(isoTime(timestamp), terminal.stdout, terminal.now) ?? 'never';
    const rows = tokens.map(token => [
      token.id,
      token.tier,
      token.email,
      stateCell(token, now),
      String(token.used),
      time(token.lastUsedAt),
      time(token.expiresAt),
      allowedFrom(token),
    ]);
    const head = heading(
      'ID',
      'TYPE',
      'E-MAIL',
      'STATE',
      'USED 24 H',
      'LAST USED',
      'EXPIRES',
      'ALLOWED FROM',
    );
    terminal.out(new TextTable(terminal.stdout).format([head, ...rows]));
    return exitStatus.ok;
  },
};

export const tokenRevoke: Command = {
  usage: ['<id> [--json]'],
  about: `Makes a token invalid for good, immediately. <id> is the first column of "gsq token list", not the
    secret.`,
  options: {
    json: { type: 'boolean', about: 'print the token as a JSON object' },
  },
  calls: 'GSQ_INTERNAL_ADDR',
  async run(read, terminal) {
    const id = oneTokenId(read);
    const { token } = await withCore(read.config, call => call(admin.RevokeToken, { id }));
    if (read.flag('json')) terminal.out(jsonLine(token && tokenJson(token)));
    else terminal.talk(`Token ${id} is revoked.`);
    return exitStatus.ok;
  },
};
