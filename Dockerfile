# Builds one executable, and an image that holds little else.
FROM node:20-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts ./scripts
COPY src ./src
COPY docs ./docs
# What `parley --version` names, as .git is not copied: --build-arg PARLEY_COMMIT=$(git rev-parse --short HEAD)
ARG PARLEY_COMMIT=
RUN npm run compile

FROM debian:bookworm-slim
RUN groupadd --gid 10001 parley \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin parley \
 && install --directory --owner=parley --group=parley --mode=0700 /data
COPY --from=build /src/dist/parley /usr/local/bin/parley
USER 10001:10001
WORKDIR /data
VOLUME /data
ENV HOST=:: DATABASE_URL=sqlite:/data/parley.db LOG_FORMAT=json
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s CMD ["parley", "health"]
ENTRYPOINT ["parley"]
CMD ["serve"]
