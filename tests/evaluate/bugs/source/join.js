[].join.call({length: -5}, "--");
[].join.call({length: -1});