/** An emoji, the picture of a custom emoji, or its name if it was deleted. */
export const EmojiImage = ({ emoji, url }: { emoji: string; url: string | null }) =>
  url ? (
    <img className="custom-emoji" src={url} alt={`:${emoji}:`} width={18} height={18} />
  ) : (
    <span className="emoji-text">{/^[a-z0-9_-]{2,}$/.test(emoji) ? `:${emoji}:` : emoji}</span>
  )
