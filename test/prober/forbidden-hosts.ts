import { isIPv4 } from 'node:net';

/**
 * IPv4 ranges to which the prober must not send packets, each with its first and last address: every entry of the IANA
 * IPv4 Special-Purpose Address Registry, the multicast range, and the metadata address of a cloud.
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
 * IPv6 ranges to which the prober must not send packets, each with its first and last address: every entry of the IANA
 * IPv6 Special-Purpose Address Registry, and all other addresses that are not global unicast addresses (RFC 4291, 2.4).
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

const FULL_WIDTH_ZERO = 0xff10;
const ARABIC_ZERO = 0x660;
const CIRCLED_ONE = 0x2460;
const CIRCLED_ZERO = 0x24ea;

const withDigits = (text: string, digit: (value: number) => number): string =>
  text.replace(/\d/g, found => String.fromCodePoint(digit(Number(found))));
const percentEncoded = (text: string): string =>
  text.replace(/./g, found => `%${found.charCodeAt(0).toString(16)}`);

/**
 * Returns notations with which somebody could try to get a forbidden IPv4 address past a check. Each is the host part
 * of `host:port`.
 */
function notationsOfIPv4(ip: string): string[] {
  const octets = ip.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const each = (write: (octet: number) => string) => octets.map(write).join('.');
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  return [
    ip,
    `${ip}.`,
    `${ip}..`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${number % 2 ** 24}`,
    `${number}`,
    `${number + 2 ** 32}`,
    hex(number),
    hex(number).toUpperCase(),
    octal(number),
    each(hex),
    each(octal),
    each(octet => String(octet).padStart(3, '0')),
    `${hex(a)}.${b}.${octal(c)}.${d}`,
    `${a}.${hex(number % 2 ** 24)}`,
    withDigits(ip, digit => FULL_WIDTH_ZERO + digit),
    withDigits(ip, digit => ARABIC_ZERO + digit),
    withDigits(ip, digit => (digit === 0 ? CIRCLED_ZERO : CIRCLED_ONE + digit - 1)),
    ip.replaceAll('.', '\u3002'),
    ip.replaceAll('.', '\uff0e'),
    ip.replace('.', '\u00ad.'),
    ip.replace('.', '.\u200b'),
    percentEncoded(ip),
    ip.replaceAll('.', '%2e'),
    `\uff10%2e${ip}`,
    `[${ip}]`,
    `[::ffff:${ip}]`,
    `[::FFFF:${ip}]`,
    `[::ffff:${high}:${low}]`,
    `[0:0:0:0:0:FFFF:${high}:${low}]`,
    `[0000:0000:0000:0000:0000:ffff:${ip}]`,
    `[::${ip}]`,
    `[::ffff:0:${ip}]`,
    `[64:ff9b::${ip}]`,
    `[64:ff9b:1::${ip}]`,
    `[2002:${high}:${low}::1]`,
    `[2001:0:${high}:${low}::]`,
    `[fe80::5efe:${ip}]`,
    `[::ffff:${ip}%1]`,
    `[::ffff:${ip}`,
    `::ffff:${ip}]`,
    `::ffff:${ip}`,
    ` ${ip}`,
    `${ip}\0`,
    `${ip}\n`,
    `${ip}/`,
    `${ip}#`,
    `user@${ip}`,
    `http://${ip}`,
    `${ip}:27015`,
  ];
}

function notationsOfIPv6(ip: string): string[] {
  return [
    `[${ip}]`,
    `[${ip.toUpperCase()}]`,
    `[${inFull(ip)}]`,
    `[${ip}%1]`,
    `[${ip}%lo]`,
    `[${ip}%251]`,
    `[${ip}/128]`,
    `[${ip}].`,
    `[${ip}`,
    `${ip}]`,
    ip,
    `[[${ip}]]`,
    `[ ${ip}]`,
    `[${withDigits(ip, digit => FULL_WIDTH_ZERO + digit)}]`,
    `[${percentEncoded(ip)}]`,
  ];
}

/** Returns an IPv6 address with all of its eight groups, each with four digits. */
function inFull(ip: string): string {
  const [head = [], tail = []] = ip.split('::').map(half => half.split(':').filter(group => group !== ''));
  const missing = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...missing, ...tail].map(group => group.padStart(4, '0')).join(':');
}

/** The first and the last address of every forbidden range, in every notation. Each is the host part of `host:port`. */
export const forbiddenHosts: readonly string[] = forbiddenAddresses.flatMap(ip =>
  isIPv4(ip) ? notationsOfIPv4(ip) : notationsOfIPv6(ip),
);
