/**
 * Ports that HTTP has no business with: mail, file shares, remote shells. The list is the Fetch standard's ("bad ports"),
 * so that a page which browsers refuse is refused here too; a request to one would speak to another protocol.
 */
const ports = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];
const blocked: ReadonlySet<number> = new Set(ports);

export const isBlockedPort = (port: number): boolean => blocked.has(port);
