/**
 * IPv4 ranges to which the prober must not send packets: the IANA IPv4 Special-Purpose Address Registry, multicast, and
 * the Azure platform address.
 */
const IPV4: readonly [what: string, first: string, last: string][] = [
  ['this network', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['shared address space', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.255'],
  ['Azure platform', '168.63.129.16', '168.63.129.16'],
  ['link-local', '169.254.169.254', '169.254.255.255'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255'],
  ['service continuity prefix', '192.0.0.0', '192.0.0.7'],
  ['dummy', '192.0.0.8', '192.0.0.8'],
  ['PCP and TURN anycast', '192.0.0.9', '192.0.0.10'],
  ['NAT64 discovery', '192.0.0.170', '192.0.0.171'],
  ['TEST-NET-1', '192.0.2.0', '192.0.2.255'],
  ['AS112', '192.31.196.0', '192.31.196.255'],
  ['AMT', '192.52.193.0', '192.52.193.255'],
  ['6to4 relays', '192.88.99.0', '192.88.99.255'],
  ['6a44 relays', '192.88.99.2', '192.88.99.2'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['direct delegation AS112', '192.175.48.0', '192.175.48.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['TEST-NET-2', '198.51.100.0', '198.51.100.255'],
  ['TEST-NET-3', '203.0.113.0', '203.0.113.255'],
  ['multicast', '224.0.0.1', '239.255.255.255'],
  ['reserved', '240.0.0.0', '255.255.255.254'],
  ['limited broadcast', '255.255.255.255', '255.255.255.255'],
];

const ONES = 'ffff:ffff:ffff:ffff';

/**
 * IPv6 ranges to which the prober must not send packets: the IANA IPv6 Special-Purpose Address Registry, and all other
 * addresses that are not global unicast (RFC 4291, 2.4).
 */
const IPV6: readonly [what: string, first: string, last: string][] = [
  ['unspecified', '::', '::'],
  ['loopback', '::1', '::1'],
  ['IPv4-compatible', '::2', '::ffff:ffff'],
  ['mapped IPv4', '::ffff:0:0', '::ffff:ffff:ffff'],
  ['translated IPv4', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['local NAT64', '64:ff9b:1::', `64:ff9b:1:ffff:${ONES}`],
  ['discard-only', '100::', `100::${ONES}`],
  ['dummy', '100:0:0:1::', `100:0:0:1:${ONES}`],
  ['protocol assignments', '2001::', `2001:1ff:ffff:ffff:${ONES}`],
  ['Teredo', '2001::1', `2001:0:ffff:ffff:${ONES}`],
  ['PCP anycast', '2001:1::1', '2001:1::1'],
  ['TURN anycast', '2001:1::2', '2001:1::2'],
  ['DNS-SD anycast', '2001:1::3', '2001:1::3'],
  ['benchmarking', '2001:2::', `2001:2:0:ffff:${ONES}`],
  ['AMT', '2001:3::', `2001:3:ffff:ffff:${ONES}`],
  ['AS112', '2001:4:112::', `2001:4:112:ffff:${ONES}`],
  ['ORCHID', '2001:10::', `2001:1f:ffff:ffff:${ONES}`],
  ['ORCHIDv2', '2001:20::', `2001:2f:ffff:ffff:${ONES}`],
  ['drone remote ids', '2001:30::', `2001:3f:ffff:ffff:${ONES}`],
  ['documentation', '2001:db8::', `2001:db8:ffff:ffff:${ONES}`],
  ['6to4', '2002::', `2002:ffff:ffff:ffff:${ONES}`],
  ['direct delegation AS112', '2620:4f:8000::', `2620:4f:8000:ffff:${ONES}`],
  ['documentation', '3fff::', `3fff:fff:ffff:ffff:${ONES}`],
  ['SRv6', '5f00::', `5f00:ffff:ffff:ffff:${ONES}`],
  ['unique local', 'fc00::', `fdff:ffff:ffff:ffff:${ONES}`],
  ['metadata of a cloud', 'fd00:ec2::254', 'fd00:ec2::254'],
  ['link-local', 'fe80::1', `febf:ffff:ffff:ffff:${ONES}`],
  ['site-local', 'fec0::', `feff:ffff:ffff:ffff:${ONES}`],
  ['multicast', 'ff02::1', `ffff:ffff:ffff:ffff:${ONES}`],
  ['unassigned below', '200::', `1fff:ffff:ffff:ffff:${ONES}`],
  ['unassigned above', '4000::', `fbff:ffff:ffff:ffff:${ONES}`],
];

/** The first and the last address of every forbidden range, without duplicates. */
export const forbiddenAddresses: readonly string[] = [
  ...new Set([...IPV4, ...IPV6].flatMap(([, first, last]) => [first, last])),
];
