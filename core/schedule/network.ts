/**
 * The network a canonical `host:port` is in: its /24 of IPv4, its /48 of IPv6, written in no form that others read. A
 * name stands for itself.
 */
export function networkOf(address: string): string {
  const host = address.slice(0, address.lastIndexOf(':'));
  if (host.startsWith('[')) return firstGroups(host.slice(1, -1));
  return /^[\d.]+$/.test(host) ? host.slice(0, host.lastIndexOf('.')) : host;
}

/** Three of the eight groups, those that `::` stands for included. */
function firstGroups(host: string): string {
  const [head = '', tail] = host.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    while (groups.length + last.length < 8) groups.push('0');
    groups.push(...last);
  }
  return groups.slice(0, 3).join(':');
}
