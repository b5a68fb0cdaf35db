import { after, beforeEach } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { NameServer, REFUSED, type Records, SERVFAIL } from '../system/name-server.ts';

/** DNS records that the name server knows at the start of the tests. */
const RECORDS: Record<string, Records> = {
  'both.example': { a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] },
  'four.example': { a: ['192.0.2.4'] },
  'six.example': { aaaa: ['2001:db8::6'] },
  'half.example': { a: ['192.0.2.5'], aaaa: SERVFAIL },
  'empty.example': {},
  'broken.example': { a: SERVFAIL, aaaa: SERVFAIL, srv: SERVFAIL },
  'refused.example': { a: REFUSED, aaaa: REFUSED },
  '_minecraft._tcp.play.example': {
    srv: [
      { priority: 10, weight: 100, port: 1, target: 'later.example' },
      { priority: 5, weight: 1, port: 2, target: 'light.example' },
      { priority: 5, weight: 9, port: 25570, target: 'Heavy.Example' },
    ],
  },
  '_minecraft._tcp.closed.example': { srv: [{ priority: 0, weight: 0, port: 0, target: '' }] },
};

/**
 * Starts a name server on loopback, and stops it after the tests of the file. Each test gets a new resolver with an
 * empty cache. The time of the resolver is `clock.now` (ms); only the test changes it.
 */
export async function resolverWithNameServer() {
  const dns = await NameServer.start(RECORDS);
  after(() => dns.stop());
  const clock = { now: 0 };
  let current: Resolver;
  beforeEach(() => {
    clock.now = 10_000_000;
    dns.questions.length = 0;
    current = new Resolver([dns.address], () => clock.now);
  });

  /** Passes each lookup to the resolver of the current test. */
  const resolver: Pick<Resolver, 'resolve' | 'service'> = {
    resolve: name => current.resolve(name),
    service: name => current.service(name),
  };
  return { dns, clock, resolver };
}
