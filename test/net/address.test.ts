import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseAddress } from '../../net/address.ts';

function canonical(text: string): string {
  const address = parseAddress(text);
  if (address.kind === 'malformed') assert.fail(`${text}: ${address.message}`);
  return address.canonical;
}

describe('parseAddress', () => {
  const forms: [text: string, canonical: string, kind: 'ipv4' | 'ipv6' | 'name'][] = [
    ['192.0.2.1:27015', '192.0.2.1:27015', 'ipv4'],
    ['0.0.0.0:1', '0.0.0.0:1', 'ipv4'],
    ['255.255.255.255:65535', '255.255.255.255:65535', 'ipv4'],
    ['example.com:27015', 'example.com:27015', 'name'],
    ['EXAMPLE.com.:27015', 'example.com:27015', 'name'],
    ['example.com:027015', 'example.com:27015', 'name'],
    ['[2001:db8::1]:000080', '[2001:db8::1]:80', 'ipv6'],
    ['localhost:1024', 'localhost:1024', 'name'],
    ['_minecraft._tcp.example.com:25565', '_minecraft._tcp.example.com:25565', 'name'],
    ['a-b.example:1024', 'a-b.example:1024', 'name'],
    ['1.2.3.example:1024', '1.2.3.example:1024', 'name'],
    ['xn--bcher-kva.example:1024', 'xn--bcher-kva.example:1024', 'name'],
    ['bücher.example:1024', 'xn--bcher-kva.example:1024', 'name'],
    ['[2001:db8::1]:27015', '[2001:db8::1]:27015', 'ipv6'],
    ['[2001:0DB8:0:0:0:0:0:1]:27015', '[2001:db8::1]:27015', 'ipv6'],
    ['[::]:1', '[::]:1', 'ipv6'],
    ['[::ffff:1.2.3.4]:1', '1.2.3.4:1', 'ipv4'],
    ['[::FFFF:0102:0304]:1', '1.2.3.4:1', 'ipv4'],
    ['[0:0:0:0:0:ffff:1.2.3.4]:1', '1.2.3.4:1', 'ipv4'],
  ];
  for (const [text, expected, kind] of forms) {
    test(`parses ${text} as ${expected}`, () => {
      const address = parseAddress(text);
      assert.equal(address.kind, kind);
      assert.equal(canonical(text), expected);
      assert.equal(canonical(expected), expected, 'the canonical form is its own canonical form');
    });
  }

  test('returns the host of an IPv6 address without brackets, and its port as a number', () => {
    assert.deepEqual(parseAddress('[2001:DB8::A]:80'), {
      kind: 'ipv6',
      host: '2001:db8::a',
      port: 80,
      canonical: '[2001:db8::a]:80',
    });
  });

  const malformed: [text: string, why: RegExp][] = [
    ['', /no port/],
    ['example.com', /no port/],
    [':27015', /no port/],
    ['example.com:', /no valid port/],
    ['example.com:0', /no valid port/],
    ['example.com:00', /no valid port/],
    ['example.com:065536', /no valid port/],
    ['example.com:65536', /no valid port/],
    ['example.com:99999', /no valid port/],
    ['example.com:123456', /no valid port/],
    ['example.com:+1', /no valid port/],
    ['example.com:-1', /no valid port/],
    ['example.com:1e3', /no valid port/],
    ['example.com: 80', /no valid port/],
    ['example.com:80 ', /no valid port/],
    ['example.com:80\n', /no valid port/],
    ['example.com:٨٠', /no valid port/],
    ['256.0.0.1:27015', /four numbers/],
    ['1.2.3:27015', /four numbers/],
    ['1.2.3.4.5:27015', /four numbers/],
    ['01.2.3.4:27015', /four numbers/],
    ['1.2.3.4.:27015', /four numbers/],
    ['2130706433:27015', /four numbers/],
    ['...:27015', /four numbers/],
    ['0x7f.1:27015', /no valid host name/],
    ['0x7f000001:27015', /no valid host name/],
    // Host in fullwidth digits. IDNA converts them to ASCII digits, so a resolver could interpret the host as the
    // loopback address 127.0.0.1.
    ['１２７.0.0.1:27015', /no valid host name/],
    ['example.123:27015', /no valid host name/],
    ['2001:db8::1:27015', /brackets/],
    ['[2001:db8::1:27015', /brackets/],
    ['[2001:db8::g]:27015', /no valid IPv6/],
    ['[fe80::1%eth0]:27015', /no valid IPv6/],
    ['[1.2.3.4]:27015', /no valid IPv6/],
    ['[]:27015', /no valid IPv6/],
    ['-a.example:27015', /no valid host name/],
    ['a-.example:27015', /no valid host name/],
    ['a..example:27015', /no valid host name/],
    ['.example:27015', /no valid host name/],
    ['a b.example:27015', /no valid host name/],
    ['user@example.com:27015', /no valid host name/],
    ['example.com/path:27015', /no valid host name/],
    ['http://example.com:27015', /brackets/],
    ['exa\0mple.com:27015', /no valid host name/],
    ['exa\nmple.com:27015', /no valid host name/],
    ['exa\tmple.com:27015', /no valid host name/],
    ['bücher.example/path:27015', /no valid host name/],
    ['bücher.example\\path:27015', /no valid host name/],
    ['bücher.example?x:27015', /no valid host name/],
    ['bücher.example#x:27015', /no valid host name/],
    ['b%C3%BCcher.exämple:27015', /no valid host name/],
    [`${'a'.repeat(64)}.example:27015`, /no valid host name/],
    ['_meta', /no port/],
    ['__proto__', /no port/],
  ];
  for (const [text, why] of malformed) {
    test(`refuses the malformed address ${JSON.stringify(text)}`, () => {
      const address = parseAddress(text);
      assert.equal(address.kind, 'malformed');
      if (address.kind === 'malformed') assert.match(address.message, why);
    });
  }

  test('accepts a host name of 253 characters and refuses a longer name', () => {
    const name = `${`${'a'.repeat(49)}.`.repeat(5)}abc`;
    assert.equal(name.length, 253);
    assert.equal(canonical(`${name}:27015`), `${name}:27015`);
    assert.equal(parseAddress(`${name}d:27015`).kind, 'malformed');
  });

  test('refuses a string of several megabytes because of its length', () => {
    const address = parseAddress(`${'a.'.repeat(2_000_000)}:1`);
    assert.equal(address.kind, 'malformed');
    if (address.kind === 'malformed') assert.match(address.message, /longer than/);
  });
});
