/** A number with its noun: “1 post”, “1,200 posts”. */
export const formatCount = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`

const MAX_SHOWN = 99

/** A number of unread items: “3”, “99+”. */
export const formatUnread = (count: number) => (count > MAX_SHOWN ? `${MAX_SHOWN}+` : String(count))
