/** The program, such as an agent, that someone wrote something with. */
export const Via = ({ name }: { name: string | null | undefined }) =>
  name ? (
    <span className="via">
      via <bdi>{name}</bdi>
    </span>
  ) : null
