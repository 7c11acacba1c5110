# Countersign's roles. One image; the command says which: process, topics create, …

FROM node:24.1.0-alpine3.21 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --loglevel=error
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/
COPY scripts/setup scripts/setup
COPY src src
COPY contracts contracts
RUN node scripts/build.mjs && npm prune --omit=dev --loglevel=error

FROM node:24.1.0-alpine3.21
ENV NODE_ENV=production \
    COUNTERSIGN_HTTP_HOST=0.0.0.0 \
    COUNTERSIGN_HTTP_PORT=8080
WORKDIR /app
# Owned by root, run by another: the program cannot change itself.
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY bin bin
COPY contracts contracts
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.COUNTERSIGN_HTTP_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A larger young generation: records die young, and most of them within one batch.
ENTRYPOINT ["node", "--max-semi-space-size=64", "bin/countersign"]
CMD ["process"]
