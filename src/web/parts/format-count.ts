/** A number with its noun: “1 post”, “1,200 posts”. */
export const formatCount = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`
