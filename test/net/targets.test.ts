import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isGamePort, TargetPolicy } from '../../net/targets.ts';

describe('TargetPolicy (which addresses gsq may probe) if GSQ_ALLOW_TARGETS is empty', () => {
  const policy = new TargetPolicy([]);

  const refused = {
    '0.0.0.0/8': ['0.0.0.0', '0.255.255.255'],
    private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    loopback: ['127.0.0.1', '127.255.255.255', '::1'],
    'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1'],
    'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
    documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.7', '2001:db8::1', '3fff::1'],
    benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
    'IETF protocol assignment': ['192.0.0.1', '192.0.0.170', '2001::1', '2001:1ff::1'],
    'anycast relay': ['192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1', '2620:4f:8000::1'],
    'cloud platform': ['168.63.129.16'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
    reserved: ['240.0.0.1', '255.255.255.255', '::', '4000::1', '5f00::1'],
    'unique local': ['fc00::1', 'fdff::1'],
    'IPv6 forms of IPv4': [
      '::ffff:8.8.8.8',
      '::8.8.8.8',
      '64:ff9b::808:808',
      '64:ff9b:1::1',
      '2002:808:808::1',
    ],
    'discard-only and dummy': ['100::1', '100:0:0:1::1'],
    'site-local': ['fec0::1', 'feff::1'],
    'zoned IPv6': ['fe80::1%lo', '2606:4700::1%1'],
  };
  for (const [what, ips] of Object.entries(refused)) {
    test(`refuses ${what} addresses`, () => {
      for (const ip of ips) assert.equal(policy.allows(ip), false, ip);
    });
  }

  test('allows public unicast addresses, even directly before and after refused ranges', () => {
    const allowed = [
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '168.63.129.15',
      '168.63.129.17',
      '128.0.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2600::1',
      '2a00::1',
      '3ffe::1',
    ];
    for (const ip of allowed) assert.equal(policy.allows(ip), true, ip);
  });

  test('refuses a string that is not an IP literal', () => {
    for (const text of ['', 'example.com', '1.2.3', '8.8.8.8:53', '[2600::1]']) {
      assert.equal(policy.allows(text), false, text);
    }
  });
});

describe('TargetPolicy with address ranges in GSQ_ALLOW_TARGETS', () => {
  test('allows public addresses and addresses in these ranges, and refuses all other addresses', () => {
    const policy = new TargetPolicy(['127.0.0.0/8', '10.1.0.0/16', 'fd00::/8']);
    for (const ip of ['127.0.0.1', '127.9.9.9', '10.1.255.255', 'fd12::1', '8.8.8.8']) {
      assert.equal(policy.allows(ip), true, ip);
    }
    for (const ip of ['10.2.0.0', '192.168.0.1', 'fc00::1', '::1'])
      assert.equal(policy.allows(ip), false, ip);
  });

  test('classifies private addresses in these ranges as the operator’s own network, but not public addresses', () => {
    const opened = new TargetPolicy(['10.0.0.0/8', '8.8.8.0/24', 'fd00::/8']);
    for (const ip of ['10.1.2.3', 'fd00::1']) assert.equal(opened.reach(ip) === 'own', true, ip);
    for (const ip of ['8.8.8.8', '1.1.1.1', '2606:4700::1', '192.168.0.1', '127.0.0.1', 'fc00::1', 'name']) {
      assert.equal(opened.reach(ip) === 'own', false, ip);
    }
  });

  test('allows a single listed address, but not the address directly after it', () => {
    const policy = new TargetPolicy(['192.168.1.5', '::1']);
    assert.equal(policy.allows('192.168.1.5'), true);
    assert.equal(policy.allows('192.168.1.6'), false);
    assert.equal(policy.allows('::1'), true);
    assert.equal(policy.allows('::2'), false);
  });

  test('never allows an IPv4-mapped address, even if ::/0 is listed', () => {
    const policy = new TargetPolicy(['::/0']);
    for (const ip of ['::1', 'fe80::1', '2002::1']) assert.equal(policy.allows(ip), true, ip);
    for (const ip of ['::ffff:8.8.8.8', '::FFFF:7f00:1', '0:0:0:0:0:ffff:808:808']) {
      assert.equal(policy.allows(ip), false, ip);
      assert.equal(policy.reach(ip) === 'own', false, ip);
    }
  });
});

describe('TargetPolicy with denied ranges', () => {
  const denied = ['1.2.3.0/24', '10.9.0.0/16', '5.6.7.8', '2606:4700::/32', 'fd00:9::1'];
  const policy = new TargetPolicy(['10.0.0.0/8', '1.2.3.4', 'fd00::/8'], { denied });

  test('refuses all addresses in the denied ranges, even if they are public or in GSQ_ALLOW_TARGETS', () => {
    for (const ip of ['1.2.3.4', '1.2.3.255', '5.6.7.8', '10.9.1.1', '2606:4700::1', 'fd00:9::1']) {
      assert.equal(policy.allows(ip), false, ip);
      assert.equal(policy.reach(ip) === 'own', false, ip);
    }
  });

  test('allows addresses outside the denied ranges if they are public or in GSQ_ALLOW_TARGETS', () => {
    for (const ip of ['1.2.4.0', '5.6.7.9', '10.8.1.1', '2606:4701::1', 'fd00:9::2']) {
      assert.equal(policy.allows(ip), true, ip);
    }
  });

  test('refuses every address if 0.0.0.0/0 and ::/0 are denied', () => {
    const nothing = new TargetPolicy(['127.0.0.0/8', '::1'], { denied: ['0.0.0.0/0', '::/0'] });
    for (const ip of ['127.0.0.1', '::1', '8.8.8.8', '2606:4700::1']) assert.equal(nothing.allows(ip), false);
  });
});

describe('TargetPolicy with the interface addresses of the machine', () => {
  const interfaces = ['127.0.0.1', '::1', '10.0.0.5', '1.2.3.4', '2606:4700::1'];

  test('refuses the interface addresses, even if they are public', () => {
    const policy = new TargetPolicy([], { interfaces });
    for (const ip of interfaces) assert.equal(policy.allows(ip), false, ip);
    for (const ip of ['1.2.3.5', '2606:4700::2']) assert.equal(policy.allows(ip), true, ip);
  });

  test('allows interface addresses that GSQ_ALLOW_TARGETS contains, and counts them as part of the operator’s own network', () => {
    const policy = new TargetPolicy(['1.2.3.0/24', '2606:4700::1', '127.0.0.0/8'], { interfaces });
    for (const ip of ['1.2.3.4', '2606:4700::1', '127.0.0.1']) {
      assert.equal(policy.allows(ip), true, ip);
      assert.equal(policy.reach(ip) === 'own', true, ip);
    }
    assert.equal(policy.reach('1.2.3.5') === 'own', false);
  });
});

test('isGamePort returns true for ports of games, and false for ports of other services and ports out of range', () => {
  for (const port of [1024, 1716, 2302, 7777, 19132, 25565, 27015, 27960, 30120, 64738, 65535]) {
    assert.equal(isGamePort(port), true, String(port));
  }
  for (const port of [0, 1, 22, 53, 80, 443, 1023, 1900, 3306, 3389, 5060, 5432, 6379, 11211, 65536]) {
    assert.equal(isGamePort(port), false, String(port));
  }
});
