/** A text in which a part is marked: what was searched for. */
export const MarkedText = ({ text, range }: { text: string; range: readonly [number, number] | undefined }) =>
  range === undefined ? (
    text
  ) : (
    <>
      {text.slice(0, range[0])}
      <mark>{text.slice(...range)}</mark>
      {text.slice(range[1])}
    </>
  )
