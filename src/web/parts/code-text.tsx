/** A message in which code is between backquotes. */
export const CodeText = ({ text }: { text: string }) =>
  [...text.split('`').entries()].map(([at, part]) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))
