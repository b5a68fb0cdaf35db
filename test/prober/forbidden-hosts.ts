import { isIPv4 } from 'node:net';
import { forbiddenAddresses } from './forbidden-ranges.ts';

const FULL_WIDTH_ZERO = 0xff10;
const ARABIC_ZERO = 0x660;
const CIRCLED_ONE = 0x2460;
const CIRCLED_ZERO = 0x24ea;

const withDigits = (text: string, digit: (value: number) => number): string =>
  text.replace(/\d/g, found => String.fromCodePoint(digit(Number(found))));
const percentEncoded = (text: string): string =>
  text.replace(/./g, found => `%${found.charCodeAt(0).toString(16)}`);

/**
 * Returns notations with which a caller could try to hide a forbidden IPv4 address from a check. Each is the host part
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

/**
 * Addresses at which gsq must not probe: the first and last address of each forbidden range, in every notation. Each is
 * the host part of `host:port`.
 */
export const forbiddenHosts: readonly string[] = forbiddenAddresses.flatMap(ip =>
  isIPv4(ip) ? notationsOfIPv4(ip) : notationsOfIPv6(ip),
);
