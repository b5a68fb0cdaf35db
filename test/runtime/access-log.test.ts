import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { limitKeyOf } from '../../net/network.ts';
import { AccessLog, type RefusalLevel } from '../../runtime/access-log.ts';
import { LogLines } from './log-lines.ts';

/** Reports a refused request to the access log. Returns true if the access log writes a line about the request. */
function refuse(access: AccessLog, caller: string, code = 'AUTH_3', level: RefusalLevel = 'info'): boolean {
  let wasRead = false;
  access.logRefusal(caller, code, level, () => {
    wasRead = true;
    return { caller, code };
  });
  return wasRead;
}

test('with a sample setting of N, the access log contains every N-th successful request', () => {
  const access = new AccessLog(new LogLines().logger, 3, limitKeyOf);
  assert.deepEqual(
    Array.from({ length: 7 }, () => access.takeSample()),
    [false, false, true, false, false, true, false],
  );
});

test('if a request chosen for the access log is refused, the next successful request is chosen instead', () => {
  const access = new AccessLog(new LogLines().logger, 3, limitKeyOf);
  const taken = [];
  for (let i = 0; i < 7; i++) {
    taken.push(access.takeSample());
    if (i === 2) access.returnSample();
  }
  assert.deepEqual(taken, [false, false, true, true, false, false, true]);
});

test('the access log contains all successful requests at log level debug, none at warn, and none at info if sampling is off', () => {
  const first = (level: string, sample: number) =>
    new AccessLog(new LogLines(level).logger, sample, limitKeyOf).takeSample();
  assert.deepEqual([first('info', 0), first('warn', 1), first('debug', 0)], [false, false, true]);
});

test('the access log writes only two lines if one caller gets the same refusal many times in a second', t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const log = new LogLines();
  const access = new AccessLog(log.logger, 0, limitKeyOf);
  for (let i = 0; i < 1000; i++) refuse(access, '192.0.2.1');
  refuse(access, '192.0.2.1', 'RATE_1');
  refuse(access, '192.0.2.2');
  assert.equal(log.lines.length, 3);
  mock.timers.tick(1000);
  const told = log.lines.map(({ msg, caller, code, suppressed }) => [msg, caller, code, suppressed]);
  assert.deepEqual(told, [
    ['refused', '192.0.2.1', 'AUTH_3', undefined],
    ['refused', '192.0.2.1', 'RATE_1', undefined],
    ['refused', '192.0.2.2', 'AUTH_3', undefined],
    ['refused again', '192.0.2.1', 'AUTH_3', 999],
  ]);
  assert.equal(refuse(access, '192.0.2.1'), true, 'the next second has a line of its own');
});

test('the access log writes at most 101 lines for a flood of refusals from many callers, and counts the suppressed refusals', () => {
  const log = new LogLines();
  const access = new AccessLog(log.logger, 0, limitKeyOf);
  for (let i = 0; i < 20_000; i++) refuse(access, `10.0.${(i >> 8) & 63}.${i & 255}`);
  assert.equal(log.lines.length, 50);
  assert.equal(refuse(access, '192.0.2.1'), false, 'a refusal without a line costs no fields');
  access.close();
  assert.equal(log.lines.length, 101);
  const sum = log.lines.reduce((all, { suppressed }) => all + Number(suppressed ?? 1), 0);
  assert.equal(sum, 20_001);
});

test('the access log counts the suppressed refusals at level info and at level warn separately', () => {
  const log = new LogLines();
  const access = new AccessLog(log.logger, 0, limitKeyOf);
  for (let i = 0; i < 60; i++) refuse(access, `192.0.2.${i}`);
  for (let i = 0; i < 53; i++) refuse(access, `192.0.2.${i}`, 'INTERNAL_1', 'warn');
  assert.equal(log.lines.filter(({ level }) => level === 40).length, 50);
  access.close();
  const rest = log.lines.filter(({ msg }) => msg === 'refused many callers');
  assert.deepEqual(
    rest.map(({ suppressed }) => suppressed),
    [10, 3],
  );
});

test('the access log counts all addresses of an IPv6 /64 network as one caller', () => {
  const log = new LogLines();
  const access = new AccessLog(log.logger, 0, limitKeyOf);
  for (let i = 0; i < 100; i++) refuse(access, `2001:db8:0:1::${i.toString(16)}`);
  refuse(access, '2001:db8:0:2::');
  access.close();
  assert.deepEqual(
    log.lines.map(({ msg, caller, suppressed }) => [msg, caller, suppressed]),
    [
      ['refused', '2001:db8:0:1::0', undefined],
      ['refused', '2001:db8:0:2::', undefined],
      ['refused again', '2001:db8:0:1::0', 99],
    ],
  );
});

test('the access log does not build a log line for a refusal that the log level hides', () => {
  const access = new AccessLog(new LogLines('warn').logger, 0, limitKeyOf);
  assert.equal(refuse(access, '192.0.2.1'), false);
});
